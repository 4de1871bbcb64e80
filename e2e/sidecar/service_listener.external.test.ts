import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import type { Child } from "@gold-partner/dev";
import { assertEquals } from "@std/assert";
import type { Certificate } from "../contract/caller_fixture.ts";
import { Stack } from "../contract/stack_fixture.ts";
import { findFreePort } from "@gold-partner/dev/postgres";
import { expectProblem } from "@gold-partner/server/testing";
import { certificateOf, fingerprintOf } from "./certificate_fixture.ts";
import { askDirectly } from "./direct_fixture.ts";
import { startSecondService } from "./second_service_fixture.ts";
import { requestText, visit } from "./visit_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

const HEALTH = { path: "/health" };
const NOBODY = 65534;
const EACCES = "13";

describe("the service's listener, which only Envoy may use", () => {
  let stack: Stack;
  let certificate: Certificate;
  const stops: (() => Promise<unknown>)[] = [];
  before(async () => {
    stack = await Stack.open({ envoy: true });
    certificate = await certificateOf(stack.partner);
  });
  after(async () => {
    for (const stop of stops.reverse()) await stop();
    await stack.close();
  });

  /**
   * Returns the headers that Envoy would send for the partner. Anyone who knows the certificate can forge
   * them.
   */
  const claims = () => ({
    "X-Forwarded-Client-Cert": `Hash=${fingerprintOf(certificate)}`,
    "X-Client-Ip": "127.0.0.1",
  });

  it("creates a socket that only the owner and the group can open, in a folder of the owner", async () => {
    const path = stack.socket("server.sock");
    for (const socket of [path, stack.socket("server_operations.sock")]) {
      const { mode, uid } = await stat(socket);
      assertEquals([mode & 0o777, uid], [0o660, process.getuid!()], socket);
    }
    assertEquals((await stat(join(path, ".."))).mode & 0o777, 0o700);
    // Check the file's mode, because nothing else keeps other users out: the service trusts every program
    // that can open the socket.
    assertEquals((await askDirectly({ ...HEALTH, socketPath: path, headers: claims() })).status, 200);
  });

  it("refuses another user of the machine, even in a folder that everyone can enter", async () => {
    const folder = temporaryFolder("gold-listener");
    stops.push(() => rm(folder, { recursive: true }));
    await chmod(folder, 0o755);
    const path = join(folder, "server.sock");
    const service = await startSecondService(stack, { LISTEN: `unix:${path}` });
    stops.push(() => service.stop());
    assertEquals((await stat(path)).mode & 0o777, 0o660);
    // Skip this part without root, because only root can act as another user. The check of the mode above
    // must then be enough.
    if (process.getuid!() !== 0) return;
    assertEquals(await connectAs(NOBODY, path), EACCES);
    assertEquals(await connectAs(NOBODY, stack.socket("server.sock")), EACCES);
    await chmod(path, 0o666);
    assertEquals(await connectAs(NOBODY, path), "connected");
  });

  describe("on loopback TCP", () => {
    const secret = randomBytes(32).toString("hex");
    let direct: { host: string; port: number };
    let service: Child;
    let through: number;
    before(async () => {
      direct = { host: "127.0.0.1", port: await findFreePort() };
      const address = `127.0.0.1:${direct.port}`;
      service = await startSecondService(stack, { LISTEN: address, PROXY_SECRET: secret });
      stops.push(() => service.stop());
      const { state } = stack.running;
      await state.writePrivate(state.path("keys", "proxy_secret"), `${secret}\n`);
      through = await stack.openEnvoy({
        UPSTREAMS: address,
        PROXY_SECRET_FILE: state.path("keys", "proxy_secret"),
      });
    });

    it("returns 403 certificate_unknown for a request without the proxy's secret", async () => {
      const wrong = [
        undefined,
        "",
        secret.slice(1),
        `${secret}0`,
        secret.toUpperCase(),
        [secret, secret],
        `${secret}, x`,
      ];
      for (const shown of wrong) {
        const headers = { ...claims(), ...(shown === undefined ? {} : { "X-Gold-Proxy-Secret": shown }) };
        const { detail } = await expectProblem(
          await askDirectly({ ...HEALTH, ...direct, headers }),
          "certificate_unknown",
        );
        assertEquals(detail, "The request did not come through the proxy.");
      }
      const known = { ...claims(), "X-Gold-Proxy-Secret": secret };
      assertEquals((await askDirectly({ ...HEALTH, ...direct, headers: known })).status, 200);
    });

    /** Sends a request through Envoy with the client's own header lines. */
    const visitBy = (presents: Certificate, target: string, lines: readonly string[]) =>
      visit(stack, presents, {
        port: through,
        sends: requestText(`localhost:${through}`, `GET ${target}`, lines),
      });

    it("serves requests through Envoy, which replaces any secret that the client sends", async () => {
      for (const shown of [[], [""], ["0".repeat(64)], [secret], [secret, "x"], ["x", secret]]) {
        const lines = shown.map((value) => `X-Gold-Proxy-Secret: ${value}`);
        assertEquals((await visitBy(certificate, "/health", lines)).reply?.status, 200, lines.join());
      }
    });

    it("gives a client that sends the secret only the access that its certificate has", async () => {
      const other = await certificateOf(await stack.onboard("Other Bank"));
      const lines = [
        `X-Gold-Proxy-Secret: ${secret}`,
        `X-Forwarded-Client-Cert: ${claims()["X-Forwarded-Client-Cert"]}`,
        `Authorization: Bearer ${stack.partner.token}`,
      ];
      assertEquals((await visitBy(certificate, "/v1/balances", lines)).reply?.status, 200);
      const { reply } = await visitBy(other, "/v1/balances", lines);
      await expectProblem(reply!, "token_certificate_mismatch");
    });
  });
});

/**
 * Connects to the socket as another user of the machine. Returns `connected`, or the number of connect(2)'s
 * error.
 */
function connectAs(uid: number, path: string): Promise<string> {
  const program = [
    "import os, socket, sys",
    "uid, path = int(sys.argv[1]), sys.argv[2]",
    "os.setgroups([]); os.setgid(uid); os.setuid(uid)",
    "try: socket.socket(socket.AF_UNIX).connect(path); print('connected')",
    "except OSError as error: print(error.errno)",
  ].join("\n");
  return new Promise((resolve, reject) => {
    const child = spawn("python3", ["-I", "-c", program, `${uid}`, path]);
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => said += part);
    child.once("error", reject).once("close", () => resolve(said.trim()));
  });
}
