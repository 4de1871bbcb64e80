import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch } from "@std/assert";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";
import { until } from "../../../tools/testing/until.ts";
import { testService } from "../testing/service.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";
import { suiteBooks } from "../testing/books.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const INHERITED = ["PATH", "HOME", "TMPDIR", "DENO_DIR"];

/** Runs the service as its supervisor does, with only these settings. */
function serve(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const inherited = INHERITED.flatMap((name) => process.env[name] ? [[name, process.env[name]]] : []);
  const child = spawn(process.execPath, [...runtimeArguments(MAIN), ...args], {
    env: { ...Object.fromEntries(inherited), ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", error: "" };
  child.stdout.setEncoding("utf8").on("data", (part) => said.out += part);
  child.stderr.setEncoding("utf8").on("data", (part) => said.error += part);
  return { child, said, ended: once(child, "close").then(([code]) => code as number | null) };
}

describe("serve", () => {
  const [folder, books] = [temporaryFolder("gold-test"), suiteBooks()];

  it("exits with 2 and prints one sentence for an unknown argument", async () => {
    for (const args of [["--role", "gateway"], ["--rule", "api"], ["api"]]) {
      const { ended, said } = serve(args);
      assertEquals([await ended, said.out], [2, ""]);
      const sentence = `serve accepts only --role all, api or delivery; got "${args.join(" ")}".\n`;
      assertEquals(said.error, sentence);
    }
  });

  it("exits with 2 and names the missing settings of the role", async () => {
    const missing = async (...args: string[]) => {
      const { ended, said } = serve(args);
      assertEquals(await ended, 2);
      return said.error.match(/^- \w+/gm)!.length;
    };
    assertEquals([await missing("--role", "delivery"), await missing("--role", "api"), await missing()], [
      6,
      9,
      9,
    ]);
  });

  it("names a variable that looks like a misspelt setting", async () => {
    for (const role of ["delivery", "api", "all"]) {
      const { ended, said } = serve(["--role", role], { LANE: "3", HEAD_FILE: "off" });
      assertEquals(await ended, 2);
      assertMatch(
        said.error,
        /^HEAD_FILE .* HEADS_FILE\?\nLANE is not a setting and has no effect\. Did you mean LANES\?\nThe configuration has /,
      );
    }
  });

  it("exits with 3 and prints one sentence if the pepper is not that of the client secrets", async () => {
    const service = await testService();
    const { config } = service;
    await service.books.sql`select gold.rotate_pepper('0123456789abcdef')`;
    const { child, ended, said } = serve(["--role", "api"], {
      DATABASE_URL: config.databaseUrl,
      TICKER_DATABASE_URL: config.tickerDatabaseUrl,
      GOLD_ENV: "sandbox",
      PUBLIC_BASE_URL: config.publicBaseUrl,
      LISTEN: `unix:${join(folder, "refused.sock")}`,
      OPERATIONS_LISTEN: `unix:${join(folder, "refused_operations.sock")}`,
      PEPPER_SOURCE: config.pepperSource,
      SEALING_KEY_SOURCE: config.sealingKeySource,
      OPERATOR_KEYS: "off",
      HEADS_FILE: "off",
    });
    await until(() => child.exitCode !== null || said.out.includes('"serving"'));
    child.kill("SIGKILL");
    const code = await ended;
    await service.stop();
    assertEquals(code, 3);
    assertMatch(
      said.error,
      /^The service did not start\. PEPPER_SOURCE: .* hashed with the pepper 0123456789abcdef: .*\n$/,
    );
  });

  it("delivers without a listener for partners until SIGTERM, and then exits with 0", async () => {
    const url = new URL(books.url);
    url.searchParams.set("role", "gold_delivery");
    await writeFile(join(folder, "sealing_key"), "0".repeat(64));
    const { child, ended, said } = serve(["--role", "delivery"], {
      DELIVERY_DATABASE_URL: url.href,
      GOLD_ENV: "sandbox",
      PUBLIC_BASE_URL: "https://localhost:8443",
      OPERATIONS_LISTEN: `unix:${join(folder, "operations.sock")}`,
      SEALING_KEY_SOURCE: `file:${join(folder, "sealing_key")}`,
    });
    const untilMs = performance.now() + 120_000;
    while (!said.out.includes('"delivering"') && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assertMatch(said.out, /^\{.*"event":"delivering".*"role":"delivery"/);
    // Hold a lock for which the service waits while it stops, so that the second signal arrives during the
    // stop.
    const holder = await books.sql.reserve();
    await holder`begin`;
    await holder`lock table gold.delivery_worker`;
    // Send the signal twice, as when a supervisor signals the process group and a parent forwards the signal.
    // Send it by process id, because after child.kill() Deno reports the signal as the child's end, even if
    // the child exits with a code.
    process.kill(child.pid!, "SIGTERM");
    while (!said.out.includes('"stopping"') && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    process.kill(child.pid!, "SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await holder`rollback`;
    holder.release();
    assertEquals([await ended, said.error], [0, ""]);
    assertMatch(said.out, /"event":"stopped"/);
  });
});
