import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { newSoftwareKey } from "../../testing/mod.ts";
import { parsePublicKey, type SshKeyType } from "./public_key.ts";
import { verifySshsig } from "./sshsig.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

const MESSAGE = "gold proposal 1\nبنك\n";
const NAMESPACE = "gold-proposal";

/** OpenSSH itself makes signatures, and verifies the signatures that this project's test keys made. */
describe("ssh-keygen", () => {
  const folder = temporaryFolder("gold-sshsig");

  function sshKeygen(
    args: readonly string[],
    input = "",
  ): { readonly status: number | null; readonly out: string } {
    const { status, stdout, stderr, error } = spawnSync("ssh-keygen", args, {
      cwd: folder,
      input,
      encoding: "utf8",
    });
    // ssh-keygen may refuse a signature before it has read its input (EPIPE).
    if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") {
      throw new Error(`ssh-keygen cannot be run (${error.message}). Install openssh-client.`);
    }
    return { status, out: stdout + stderr };
  }

  for (const [type, ...options] of [["ed25519"], ["ecdsa", "-b", "256"]] as const) {
    it(`signs with ${type} what verifySshsig accepts, with the same fingerprint`, async () => {
      const file = join(folder, type);
      assertEquals(
        sshKeygen(["-q", "-t", type, ...options, "-N", "", "-C", "a comment", "-f", file]).status,
        0,
      );
      const key = await parsePublicKey(readFileSync(`${file}.pub`, "utf8"));
      assertEquals(sshKeygen(["-l", "-f", `${file}.pub`]).out.split(" ")[1], key.fingerprint);
      writeFileSync(join(folder, "message"), MESSAGE);
      for (let round = 0; round < 16; round++) {
        const hash = round % 2 === 0 ? "sha256" : "sha512";
        const name = join(folder, "message");
        rmSync(`${name}.sig`, { force: true });
        const made = sshKeygen(["-Y", "sign", "-n", NAMESPACE, "-O", `hashalg=${hash}`, "-f", file, name]);
        assertEquals(made.status, 0, made.out);
        await verifySshsig(readFileSync(`${name}.sig`, "utf8"), {
          key,
          message: MESSAGE,
          namespace: NAMESPACE,
        });
      }
    });
  }

  const types: readonly SshKeyType[] = [
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
  ];
  for (const type of types) {
    it(`agrees with verifySshsig about signatures of ${type} that were made in software`, async () => {
      const own = await newSoftwareKey(type);
      const key = own.publicKey;
      writeFileSync(join(folder, "signers"), `amal ${key.text}\n`);
      const verdicts = async (message: string, signature: string) => {
        writeFileSync(join(folder, "signature"), signature);
        const args = ["-Y", "verify", "-f", "signers", "-I", "amal", "-n", NAMESPACE, "-s", "signature"];
        const theirs = sshKeygen(args, message).status === 0;
        const ours = await verifySshsig(signature, { key, message, namespace: NAMESPACE }).then(
          () => true,
          () => false,
        );
        return [ours, theirs];
      };
      for (let round = 0; round < 8; round++) {
        const signature = await own.sign(MESSAGE, { namespace: NAMESPACE });
        assertEquals(await verdicts(MESSAGE, signature), [true, true]);
        assertEquals(await verdicts(`${MESSAGE}x`, signature), [false, false]);
      }
      const wrong = [
        { namespace: "gold-approval" },
        { namespace: NAMESPACE, version: 2 },
        { namespace: NAMESPACE, hashName: "sha1" },
        { namespace: NAMESPACE, signatureType: "ssh-rsa" },
      ];
      for (const choices of wrong) {
        assertEquals(
          await verdicts(MESSAGE, await own.sign(MESSAGE, choices)),
          [false, false],
          JSON.stringify(choices),
        );
      }
      // `ssh-keygen -Y verify` does not look at the flags, so this rule is of this package alone.
      if (type.startsWith("sk-")) {
        const untouched = await own.sign(MESSAGE, { namespace: NAMESPACE, flags: 0 });
        assertEquals(await verdicts(MESSAGE, untouched), [false, true]);
      }
    });
  }
});
