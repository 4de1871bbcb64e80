import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch, assertRejects } from "../../../../tools/testing/assert.ts";
import { runtimeArguments } from "../../../../tools/testing/runtime_arguments.ts";
import { startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const ANSWER_MS = 20;
/**
 * Time until Envoy stops accepting connections. Long enough that the steps before that also succeed on a slow
 * machine.
 */
const DRAIN_SECONDS = 10;

/** `sidecar drain` as a supervisor runs it. */
async function runDrain(...args: string[]): Promise<{ code: number; says: string }> {
  const child = spawn(process.execPath, [...runtimeArguments(MAIN), "drain", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let says = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part) => says += part);
  }
  const [code] = await once(child, "close");
  return { code, says };
}

describe("sidecar drain with the real Envoy", () => {
  let fixture: TestEnvoy;
  before(async () => {
    fixture = await startTestEnvoy({}, (_request, response) => {
      setTimeout(() => response.end("ok"), ANSWER_MS);
    }, DRAIN_SECONDS);
  });
  after(() => fixture.stop());

  const admin = () => `unix:${join(fixture.folder, "admin.sock")}`;

  it("asks partners to disconnect, closes the listener, and reports that no connection is left", async () => {
    const [idle, busy] = [await fixture.open(), await fixture.open()];
    const [idleText, busyText] = [readToLast(idle), readToLast(busy)];
    ask(busy);
    const drained = runDrain("--admin", admin(), "--seconds", "60");
    // Send requests as a connected partner until a reply asks it to disconnect. A new partner is still
    // served.
    await until(
      async () => /drain_close: [1-9]/.test(await fixture.ask("/stats?filter=drain_close")),
      () => ask(busy),
    );
    const late = await fixture.open();
    ask(late);
    assertMatch(await readToLast(late), /^HTTP.1.1 200 OK/);
    assertMatch(await busyText, /^HTTP.1.1 200 OK/);
    await until(async () => / [1-9]/.test(await fixture.ask("/stats?filter=listener_stopped")));
    await assertRejects(() => fixture.open());
    ask(idle);
    assertMatch(await idleText, /^HTTP.1.1 200 OK/);
    const { code, says } = await drained;
    assertEquals(code, 0, says);
    assertMatch(says, /^Envoy is drained: no connection is left after [0-9.]+ s\.\n$/);
  });

  it("reports in one sentence that Envoy does not answer", async () => {
    const { code, says } = await runDrain("--admin", `${admin()}.other`);
    assertEquals(code, 3);
    assertMatch(says, /^Envoy was not drained: .* ADMIN_LISTEN\.\n$/);
  });
});

const ask = (socket: TLSSocket) => socket.write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");

/** Reads until a reply has `Connection: close`, then closes the connection as a correct client does. */
function readToLast(socket: TLSSocket): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    socket.setEncoding("latin1").on("error", reject).on("data", (part) => {
      text += part;
      if (!/connection: close[^]*\r\n\r\nok$/i.test(text)) return;
      socket.destroy();
      resolve(text);
    });
  });
}

async function until(condition: () => Promise<boolean>, meanwhile = () => {}): Promise<void> {
  const untilMs = performance.now() + 30_000;
  while (!await condition()) {
    if (performance.now() > untilMs) throw new Error("The condition was not met within 30 s.");
    meanwhile();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
