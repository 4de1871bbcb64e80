import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { armor, newSoftwareKey } from "../../testing/mod.ts";
import { parsePublicKey, parseSshsig, type SshKeyType, SshsigError, verifySshsig } from "./mod.ts";

const TYPES: readonly SshKeyType[] = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "sk-ssh-ed25519@openssh.com",
  "sk-ecdsa-sha2-nistp256@openssh.com",
];
const MESSAGE = "gold proposal 1\nبنك\n";
const NAMESPACE = "gold-proposal";

async function reasonOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return "accepted";
  } catch (error) {
    assert(error instanceof SshsigError, `${error}`);
    return error.reason;
  }
}

describe("verifySshsig()", () => {
  for (const type of TYPES) {
    it(`accepts signatures of ${type}, and of no other text, namespace or key`, async () => {
      const [own, other] = [await newSoftwareKey(type), await newSoftwareKey(type)];
      const key = own.publicKey;
      // Numbers of an ECDSA signature are short or padded in some signatures only.
      for (let round = 0; round < 20; round++) {
        for (const hashName of ["sha256", "sha512"]) {
          const signature = await own.sign(MESSAGE, { namespace: NAMESPACE, hashName });
          await verifySshsig(signature, { key, message: MESSAGE, namespace: NAMESPACE });
        }
      }
      const signature = await own.sign(MESSAGE, { namespace: NAMESPACE });
      const reasons = await Promise.all([
        verifySshsig(signature, { key, message: `${MESSAGE}x`, namespace: NAMESPACE }),
        verifySshsig(signature, { key, message: MESSAGE, namespace: "gold-approval" }),
        verifySshsig(signature, { key: other.publicKey, message: MESSAGE, namespace: NAMESPACE }),
      ].map(reasonOf));
      assertEquals(reasons, ["signature_mismatch", "namespace_mismatch", "key_mismatch"]);
    });

    it(`refuses malformed signatures of ${type} with the reason`, async () => {
      const own = await newSoftwareKey(type);
      const attempt = async (choices: object) => {
        const signature = await own.sign(MESSAGE, { namespace: NAMESPACE, ...choices });
        return await reasonOf(
          verifySshsig(signature, { key: own.publicKey, message: MESSAGE, namespace: NAMESPACE }),
        );
      };
      assertEquals(await attempt({ hashName: "sha1" }), "hash_unsupported");
      assertEquals(await attempt({ version: 2 }), "version_unsupported");
      assertEquals(await attempt({ reserved: "x" }), "blob_malformed");
      assertEquals(await attempt({ trailing: new Uint8Array(1) }), "blob_malformed");
      assertEquals(await attempt({ trailingSignature: new Uint8Array(1) }), "blob_malformed");
      const another = TYPES.find((one) => one !== type)!;
      assertEquals(await attempt({ signatureType: another }), "signature_type_mismatch");
      if (type.startsWith("sk-")) assertEquals(await attempt({ flags: 0x04 }), "user_absent");
    });
  }

  it("refuses every truncation, and text around the armor", async () => {
    const own = await newSoftwareKey("sk-ecdsa-sha2-nistp256@openssh.com");
    const signature = await own.sign(MESSAGE, { namespace: NAMESPACE });
    const blob = Uint8Array.from(
      atob(signature.split("\n").slice(1, -2).join("")),
      (character) => character.charCodeAt(0),
    );
    for (let length = 1; length < blob.length; length++) {
      const reason = await reasonOf(parseSshsig(armor(blob.slice(0, length))));
      assert(reason !== "accepted", `${length}`);
    }
    for (
      const text of ["", ` ${signature}`, `${signature}\n`, signature.replace("\n", "\r\n"), `x${signature}`]
    ) {
      assertEquals(await reasonOf(parseSshsig(text)), "armor_malformed", text);
    }
  });
});

describe("parsePublicKey()", () => {
  it("ignores the comment, and gives the key one spelling", async () => {
    const { publicKey } = await newSoftwareKey();
    const parsed = await parsePublicKey(`${publicKey.text} amal@bank.example on her laptop\n`);
    assertEquals([parsed.text, parsed.fingerprint], [publicKey.text, publicKey.fingerprint]);
  });

  it("refuses other types and malformed lines, and says what to do", async () => {
    const { publicKey: { text } } = await newSoftwareKey();
    const [type, base64] = text.split(" ") as [string, string];
    const point = (await newSoftwareKey("ecdsa-sha2-nistp256")).publicKey.text;
    const offCurve = `${point.slice(0, -2)}${point.at(-2) === "A" ? "B" : "A"}=`;
    const attempts = [
      [`ssh-rsa ${base64}`, "key_type_unsupported"],
      ["ssh-dss AAAA", "key_type_unsupported"],
      [`ecdsa-sha2-nistp256 ${base64}`, "key_malformed"],
      [type, "key_malformed"],
      [`${type} ${base64.slice(0, -4)}`, "key_malformed"],
      [`${type} ${base64}AAAA`, "key_malformed"],
      [`${text}\n${text}`, "key_malformed"],
      ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNza\n", "key_malformed"],
      [offCurve, "key_malformed"],
    ] as const;
    for (const [line, reason] of attempts) assertEquals(await reasonOf(parsePublicKey(line)), reason, line);
    const said = await parsePublicKey("ssh-rsa AAAA").catch(({ message }) => message);
    assert(
      said.includes("Keys of type ssh-rsa are not supported. Make one with `ssh-keygen -t ed25519`"),
      said,
    );
  });
});
