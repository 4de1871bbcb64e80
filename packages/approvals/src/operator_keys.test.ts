import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { newSoftwareKey } from "../testing/mod.ts";
import { parseOperatorKeys } from "./mod.ts";

const ID = "production-6f1c0c1e-0b5d-4c3f-9a57-2f1f8d0a4b11";
const DEPLOYMENT = `# deployment ${ID} https://api.example.com Riyadh production`;

describe("parseOperatorKeys()", () => {
  it("reads comments, options and keys of OpenSSH's form", async () => {
    const [one, two] = [
      (await newSoftwareKey()).publicKey,
      (await newSoftwareKey("ecdsa-sha2-nistp256")).publicKey,
    ];
    const text =
      `# first keys\n${DEPLOYMENT}\namal ${one.text} amal's laptop\r\nbilal valid-before="20261231Z" ${two.text}\n`;
    const { deployment, earlier, keys } = await parseOperatorKeys(text);
    assertEquals(deployment, { id: ID, baseUrl: "https://api.example.com", name: "Riyadh production" });
    assertEquals(earlier, []);
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

  it("reads the earlier ids of a copy, with the head at which each ended", async () => {
    const people = await twoKeys();
    const line = `# earlier deployment ${ID} until 2026-11-27T10:00:00.000Z 1234 ${"5f".repeat(32)}`;
    const { earlier } = await parseOperatorKeys(`${DEPLOYMENT}\n${line}\n${people}`);
    const endedMs = Date.parse("2026-11-27T10:00:00Z");
    assertEquals(earlier, [{ id: ID, endedMs, audit: { id: "1234", head: "5f".repeat(32) } }]);
    await assertRejects(
      () => parseOperatorKeys(`${DEPLOYMENT}\n${line.replace("1234", "")}\n${people}`),
      Error,
      "Line 2 of the operators' keys must be # earlier deployment ID until INSTANT AUDIT_ID HEAD",
    );
  });

  it("refuses a file that names no deployment, two of them, or one in another form", async () => {
    const people = await twoKeys();
    for (
      const [given, expected] of [
        ["", "must have one line # deployment ID https://BASE_URL NAME; got 0."],
        [
          `${DEPLOYMENT}\n${DEPLOYMENT}\n`,
          "must have one line # deployment ID https://BASE_URL NAME; got 2.",
        ],
        [
          `${DEPLOYMENT.replace("production-", "")}\n`,
          "Line 1 of the operators' keys must be # deployment ID",
        ],
        [
          `# deployment ${ID} https://api.example.com\n`,
          "Line 1 of the operators' keys must be # deployment ID",
        ],
      ]
    ) await assertRejects(() => parseOperatorKeys(`${given}${people}`), Error, expected!);
  });
});

async function twoKeys(): Promise<string> {
  const [one, two] = [await newSoftwareKey(), await newSoftwareKey()];
  return `amal ${one.publicKey.text}\nbilal ${two.publicKey.text}\n`;
}
