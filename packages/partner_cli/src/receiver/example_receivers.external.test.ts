import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { newWebhookSecret } from "@gold-partner/protocol";
import { testCertificate } from "@gold-partner/server/testing";
import { assertEquals } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { goldPartner } from "../gold_partner.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const EXAMPLES = "docs/examples/receiver";

/** The command that starts each example receiver. */
const RECEIVERS: Readonly<Record<string, readonly string[]>> = {
  Node: ["node", `${EXAMPLES}/node/receiver.mjs`],
  Deno: [
    "node_modules/deno/deno",
    ...["run", "--allow-env", "--allow-net", "--allow-read"],
    `${EXAMPLES}/deno/receiver.ts`,
  ],
  Python: ["python3", `${EXAMPLES}/python/receiver.py`],
  Go: [".tools/bin/receiver_go"],
};

describe("gold-partner check-receiver", () => {
  const folder = temporaryFolder("example-receivers");
  const secret = newWebhookSecret((length) => crypto.getRandomValues(new Uint8Array(length)));
  const file = (name: string) => join(folder, name);

  before(() => {
    const { ca, cert, key } = testCertificate();
    const files = { "ca.pem": ca, "cert.pem": cert, "key.pem": key, "secrets": `${secret}\n` };
    for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text);
    writeFileSync(file("credentials.json"), JSON.stringify({ client_id: "sbx_own", webhook_secret: secret }));
  });

  /** Starts a receiver that writes its output to a file, and returns the file and the port. */
  async function start(name: string): Promise<{ child: ChildProcess; log: string; port: string }> {
    const log = file(`${name}.log`);
    const output = openSync(log, "w");
    const [program, ...args] = RECEIVERS[name]!;
    const child = spawn(program!, args, {
      cwd: ROOT,
      stdio: ["ignore", output, "inherit"],
      env: {
        ...process.env,
        ...{ RECEIVER_LISTEN: "127.0.0.1:0", CERTIFICATE_FILE: file("cert.pem"), KEY_FILE: file("key.pem") },
        ...{ WEBHOOK_SECRETS_FILE: file("secrets"), CLIENT_ID: "sbx_own", LAST_SEQUENCE: "40" },
        PYTHONPATH: join(ROOT, ".tools/standardwebhooks"),
      },
    });
    closeSync(output);
    const failed = once(child, "error").then(([error]) => {
      throw new Error(`${program} could not be started: ${(error as Error).message}. Run: npm run tools`);
    });
    const listening = until(() => /^listening on 127\.0\.0\.1:(\d+)$/m.exec(readFileSync(log, "utf8"))?.[1]);
    return { child, log, port: (await Promise.race([failed, listening]))! };
  }

  for (const name of Object.keys(RECEIVERS)) {
    it(`passes the example receiver on ${name}`, async () => {
      const { child, log, port } = await start(name);
      const out: string[] = [];
      const url = `https://localhost:${port}/webhooks`;
      const exit = await goldPartner(
        ["check-receiver", url, "--json", "--log", log, "--next", "41", "--ca", file("ca.pem")],
        {
          env: { GOLD_CREDENTIALS: file("credentials.json") },
          out: (text) => out.push(text),
          err: (text) => out.push(text),
          now: Date.now,
          untilStopped: () => new AbortController().signal,
        },
      );
      child.kill("SIGKILL");
      await once(child, "exit");
      const { items } = JSON.parse(out.join("\n")) as { items: { check: string; result: string }[] };
      assertEquals(items.filter(({ result }) => result !== "ok"), []);
      assertEquals([items.length, exit], [11, 0]);
    });
  }
});
