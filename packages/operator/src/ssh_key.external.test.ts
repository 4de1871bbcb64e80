import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { makeSshKey } from "../../../tools/testing/operator_keys.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";
import { Failure } from "./failure.ts";
import { sshSigner } from "./ssh_key.ts";

/** Messages of the protocol of ssh-agent. */
const [FAILURE, IDENTITIES_ANSWER, REQUEST_IDENTITIES] = [5, 12, 11];

const sized = (bytes: Uint8Array) => {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return new Uint8Array([...length, ...bytes]);
};

/** ssh-keygen asks an agent of this test, which has the key and waits for a touch. */
describe("sshSigner()", () => {
  const folder = temporaryFolder("gold-agent");
  const key = join(folder, "key");
  const sockets: Socket[] = [];
  let agent: Server;
  let touched: "never" | "refused" = "never";
  const given = process.env.SSH_AUTH_SOCK;
  before(async () => {
    const blob = new Uint8Array(Buffer.from(makeSshKey(key).split(" ")[1]!, "base64"));
    agent = createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      // A message may arrive in parts: its length, its kind and the rest.
      let message = Buffer.alloc(0);
      socket.on("data", (part) => {
        message = Buffer.concat([message, part]);
        if (message.length < 5 || message.length < 4 + message.readUInt32BE()) return;
        const kind = message[4];
        message = Buffer.alloc(0);
        if (kind === REQUEST_IDENTITIES) {
          socket.write(
            sized(
              new Uint8Array([IDENTITIES_ANSWER, 0, 0, 0, 1, ...sized(blob), ...sized(new Uint8Array())]),
            ),
          );
        } else if (touched === "refused") socket.write(sized(new Uint8Array([FAILURE])));
      });
    });
    await new Promise<void>((resolve) => agent.listen(join(folder, "agent"), resolve));
    process.env.SSH_AUTH_SOCK = join(folder, "agent");
  });
  after(() => {
    if (given === undefined) delete process.env.SSH_AUTH_SOCK;
    else process.env.SSH_AUTH_SOCK = given;
    for (const socket of sockets) socket.destroy();
    agent.close();
  });

  const failureOf = async (limitMs?: number) =>
    (await assertRejects(
      () => sshSigner(`${key}.pub`, () => {}, { limitMs })("gold-proposal", "text"),
      Failure,
    ))
      .code;

  it("ends when nobody confirms the use of the key in time", async () => {
    assertEquals(await failureOf(300), "touch_timed_out");
  });

  it("says that the agent refused", async () => {
    touched = "refused";
    assertEquals(await failureOf(), "agent_failed");
  });
});
