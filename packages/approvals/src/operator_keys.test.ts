import { describe, it } from "node:test";
import { newSoftwareKey } from "@gold-partner/sshsig/testing";
import { assertEquals, assertRejects } from "@std/assert";
import { parseOperatorKeys } from "./mod.ts";

describe("parseOperatorKeys()", () => {
  it("reads comments, options and keys of OpenSSH's form", async () => {
    const [one, two] = [
      (await newSoftwareKey()).publicKey,
      (await newSoftwareKey("ecdsa-sha2-nistp256")).publicKey,
    ];
    const text =
      `# first keys\n\namal ${one.text} amal's laptop\r\nbilal valid-before="20261231Z" ${two.text}\n`;
    const keys = await parseOperatorKeys(text);
    assertEquals(keys.map(({ login, key, untilMs }) => [login, key.fingerprint, untilMs]), [
      ["amal", one.fingerprint, Infinity],
      ["bilal", two.fingerprint, Date.parse("2026-12-31T00:00:00Z")],
    ]);
  });

  it("refuses malformed lines, repeated keys and a single login, and names the line", async () => {
    const { text } = (await newSoftwareKey()).publicKey;
    const other = (await newSoftwareKey()).publicKey.text;
    const attempts = [
      ["amal", "Line 1 "],
      [
        `amal ${text}\nbilal ssh-rsa AAAA`,
        "Line 2 of the operators' keys has no valid key. Keys of type ssh-rsa",
      ],
      [`amal ${text}\nbilal ${text}`, "Line 2 of the operators' keys repeats the key"],
      ...["tomorrow", "20260231Z", "20260228240000Z"].map((before) => [
        `amal valid-before="${before}" ${text}`,
        'must have valid-before="YYYYMMDDZ"',
      ]),
      [`amal ${text}\namal ${other}`, "must be of at least two logins"],
      ["", "must be of at least two logins"],
    ];
    for (const [given, expected] of attempts) {
      await assertRejects(() => parseOperatorKeys(given!), Error, expected!);
    }
  });
});
