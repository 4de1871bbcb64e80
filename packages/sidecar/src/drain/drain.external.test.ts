import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import { runSidecar } from "../sidecar_fixture.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../../../tools/testing/until.ts";

const ANSWER_MS = 20;
/**
 * Time until Envoy stops accepting connections. Long enough that the steps before that also succeed on a slow
 * machine.
 */
const DRAIN_SECONDS = 10;

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
    const drained = runSidecar(["drain", "--admin", admin(), "--seconds", "60"]);
    // Send requests as a connected partner until a reply asks it to disconnect. A new partner is still
    // served.
    await until(async () => {
      if (/drain_close: [1-9]/.test(await fixture.ask("/stats?filter=drain_close"))) return true;
      ask(busy);
      return await sleep(100, false);
    });
    const late = await fixture.open();
    ask(late);
    assertMatch(await readToLast(late), /^HTTP.1.1 200 OK/);
    assertMatch(await busyText, /^HTTP.1.1 200 OK/);
    await until(async () => / [1-9]/.test(await fixture.ask("/stats?filter=listener_stopped")));
    await assertRejects(() => fixture.open());
    ask(idle);
    assertMatch(await idleText, /^HTTP.1.1 200 OK/);
    const { code, out, error } = await drained;
    assertEquals([code, error], [0, ""]);
    assertMatch(out, /^Envoy is drained: no connection is left after [0-9.]+ s\.\n$/);
  });

  it("reports in one sentence that Envoy does not answer", async () => {
    const { code, error } = await runSidecar(["drain", "--admin", `${admin()}.other`]);
    assertEquals(code, 3);
    assertMatch(error, /^Envoy was not drained: .* ADMIN_LISTEN\.\n$/);
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
