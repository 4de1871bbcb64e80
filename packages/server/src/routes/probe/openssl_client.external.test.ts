import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import { type ProbeMistake, type ProbeReply, probeReply } from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import { foreignKey } from "./foreign_fixture.ts";

const PATH = "/v1/signed-probe";
const BODY = '{"quote_id":"qt_1","note":"\u0645\u0631\u062d\u0628\u0627"}';
const PRETTY = '{\n  "quote_id": "qt_1"\n}\n';

/** Shell functions that sign with openssl, as a partner's script may do. */
const SHELL = String.raw`set -euo pipefail
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
raw() { # converts an ECDSA signature from DER to 64 bytes: r, then s
  hex=$(openssl asn1parse -inform DER | sed -n 's/.*INTEGER *://p' | while read -r n; do printf '%64s' "$n" | tr ' ' 0; done)
  printf "$(printf %s "$hex" | sed 's/../\\x&/g')"
}
hash() { openssl dgst -sha256 -hex | sed 's/.* //'; }
header() { printf %s '{"alg":"ES256","b64":false,"crit":["b64"]}' | base64url; }
sign() { openssl dgst -sha256 -sign signing.key; }
lines() { printf 'POST\n%s\n%s\n%s\n%s' "$URL" "$(printf %s "$BODY" | hash)" "$TIMESTAMP" "$NONCE"; }
`;

/** Python functions that sign in the same way, with the standard library. They call openssl to sign. */
const PYTHON = String.raw`
import base64, hashlib, json, os, subprocess
def base64url(data): return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
def sign(data):
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", "signing.key"], input=data, capture_output=True, check=True).stdout
    r_end = 4 + der[3]
    numbers = [der[4:r_end], der[r_end + 2:]]
    return b"".join(int.from_bytes(n, "big").to_bytes(32, "big") for n in numbers)
def probe(body, url=os.environ["URL"], timestamp=os.environ["TIMESTAMP"]):
    header = base64url(b'{"alg":"ES256","b64":false,"crit":["b64"]}')
    digest = hashlib.sha256(body).hexdigest()
    text = "\n".join(["POST", url, digest, timestamp, os.environ["NONCE"]])
    print(header + ".." + base64url(sign((header + "." + text).encode())), end="")
body = os.environ["BODY"]
value = json.loads(body)
`;
import { temporaryFolder } from "../../../../../tools/testing/temporary_folder.ts";
import { suiteService } from "../../../testing/service.ts";

const OPTIONS = { bash: ["--norc", "-c"], python3: ["-c"] } as const;

describe("the probe of a client that signs with openssl", () => {
  const [folder, service] = [temporaryFolder("gold-test"), suiteService()];
  before(async () => {
    const key = foreignKey(service.partner.signingKey.privateJwk);
    await writeFile(join(folder, "signing.key"), key.export({ type: "sec1", format: "pem" }));
  });

  /**
   * Runs a client's script, sends a probe with the signature header that it prints, and returns the probe's
   * reply.
   */
  async function probe(
    program: keyof typeof OPTIONS,
    script: string,
    { body = BODY, ...sent }: { body?: string; timestamp?: string } = {},
  ): Promise<ProbeReply> {
    const timestamp = sent.timestamp ?? `${Math.floor(service.now() / 1000)}`;
    const nonce = randomUUID();
    const environment = {
      URL: service.config.publicBaseUrl + PATH,
      BODY: body,
      TIMESTAMP: timestamp,
      NONCE: nonce,
    };
    const { status, stdout, stderr, error } = spawnSync(program, [...OPTIONS[program], script], {
      cwd: folder,
      encoding: "utf8",
      timeout: 120_000,
      env: { PATH: process.env.PATH!, LC_ALL: "C.UTF-8", ...environment },
    });
    if (error) throw new Error(`${program} could not be run (${error.message}). Install it and openssl.`);
    assertEquals([status, stderr], [0, ""]);
    const headers = { "X-Timestamp": timestamp, "X-Nonce": nonce, "X-JWS-Signature": stdout };
    const reply = await service.send(PATH, { body, headers });
    return probeReply.strict().parse(await reply.json());
  }
  const byShell = (lines: string, sent = {}) => probe("bash", SHELL + lines, sent);
  const byPython = (lines: string, sent = {}) => probe("python3", PYTHON + lines, sent);
  const signed = (lines: string) =>
    `printf '%s..%s' "$(header)" "$({ header; printf .; ${lines}; } | sign | raw | base64url)"`;

  it("reports no mistake if the client signs correctly", async () => {
    const cases = [await byShell(signed("lines")), await byPython("probe(body.encode())")];
    for (const { valid, mistake } of cases) {
      assertEquals([valid, mistake], [true, null]);
    }
  });

  it("names the mistakes of a shell script", async () => {
    const table: [ProbeMistake, string][] = [
      ["der_signature", `printf '%s..%s' "$(header)" "$({ header; printf .; lines; } | sign | base64url)"`],
      [
        "der_signature",
        `printf '%s..%s' "$(header)" "$({ header; printf .; lines; } | sign | openssl base64 -A)"`,
      ],
      ["path_not_url", `URL=${PATH}; ${signed("lines")}`],
      [
        "upper_case_hex",
        `hash() { openssl dgst -sha256 -hex | sed 's/.* //' | tr a-f A-F; }; ${signed("lines")}`,
      ],
      ["trailing_newline", signed("lines; echo")],
      ["crlf", signed("lines | sed '$!s/$/\\r/'")],
      ["crlf", signed("{ lines; echo; } | sed 's/$/\\r/'")],
      ["payload_base64url", signed("lines | base64url")],
      [
        "payload_base64url",
        `header() { printf %s '{"alg":"ES256"}' | base64url; }; ${signed("lines | base64url")}`,
      ],
      [
        "body_reserialised",
        `hash() { { cat; echo; } | openssl dgst -sha256 -hex | sed 's/.* //'; }; ${signed("lines")}`,
      ],
      ["explicit_port", `URL=$(printf %s "$URL" | sed 's/:8443/:443/'); ${signed("lines")}`],
      ["wrong_host", `URL=$(printf %s "$URL" | sed 's/^https/http/'); ${signed("lines")}`],
      ["upper_case_host", `URL=$(printf %s "$URL" | sed 's/localhost/LOCALHOST/'); ${signed("lines")}`],
    ];
    for (const [mistake, script] of table) assertEquals((await byShell(script)).mistake, mistake, script);
  });

  it("names the mistakes of a Python script: a body or a timestamp in another form", async () => {
    const choices = [
      "",
      "separators=(',', ':')",
      "indent=2",
      "indent=4, sort_keys=True",
      "ensure_ascii=False",
      "sort_keys=True, separators=(',', ':')",
    ];
    for (const options of choices) {
      const { mistake } = await byPython(`probe(json.dumps(value${options && `, ${options}`}).encode())`);
      assertEquals(mistake, "body_reserialised", options);
    }
    for (const script of ["probe(json.dumps(value).encode())", "probe(body.rstrip().encode())"]) {
      assertEquals((await byPython(script, { body: PRETTY })).mistake, "body_reserialised", script);
    }
    const stripped = PRETTY.replaceAll("\n", "");
    assertEquals(
      (await byPython(`probe(${JSON.stringify(PRETTY)}.encode())`, { body: stripped })).mistake,
      "body_reserialised",
    );
    const timestamp = `${Math.floor(service.now())}`;
    assertEquals((await byPython("probe(body.encode())", { timestamp })).mistake, "milliseconds");
    assertEquals((await byPython("probe(body.encode() + b' ')")).mistake, null);
  });
});
