import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runtimeArguments } from "./child.ts";
import type { Credentials } from "./partner.ts";
import { freePort, type Started, startUntilReady } from "./start_trial.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const GOLD = fileURLToPath(new URL("../../operator/src/main.ts", import.meta.url));

/** What a new partner types, once: how to call, and how to sign with nothing but openssl. */
const PROFILE = String.raw`
call() { # call METHOD PATH [curl's options]: the reply's body, then its status on a line of its own
  method=$1 path=$2; shift 2
  curl -sS --cacert "$CA" --cert tls.pem --key tls.key -D head.txt -w '\n%{http_code}\n' -X "$method" "$BASE$path" "$@"
}
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
raw() { # an ECDSA signature's DER to its 64 bytes r and s
  hex=$(openssl asn1parse -inform DER | sed -n 's/.*INTEGER *://p' | while read -r n; do printf '%64s' "$n" | tr ' ' 0; done)
  printf "$(printf %s "$hex" | sed 's/../\\x&/g')"
}
order() { # order BODY KEY [NONCE]
  body=$1 key=$2 timestamp=$(date +%s)
  if [ $# -gt 2 ]; then nonce=$3; else nonce=$(openssl rand -hex 16); fi
  sha256=$(printf %s "$body" | openssl dgst -sha256 -hex | sed 's/.* //')
  header=$(printf %s '{"alg":"ES256","b64":false,"crit":["b64"]}' | base64url)
  signature=$(printf '%s.POST\n%s\n%s\n%s\n%s' "$header" "$BASE/v1/orders" "$sha256" "$timestamp" "$nonce" |
    openssl dgst -sha256 -sign signing.key | raw | base64url)
  call POST /v1/orders -H "Authorization: Bearer $(cat token)" -H "Content-Type: application/json" \
    -H "Idempotency-Key: $key" -H "X-Timestamp: $timestamp" -H "X-Nonce: $nonce" \
    -H "X-JWS-Signature: $header..$signature" --data-binary "$body"
}
quote() { call POST /v1/quotes -H "Authorization: Bearer $(cat token)" -H "Content-Type: application/json" \
  -H "Idempotency-Key: $1" --data-binary '{"side":"buy","gold_grams":1.5}'; }
`;

describe("the first order of a new partner, with curl and openssl alone", () => {
  let folder: string;
  let desk: string;
  let started: Started;
  let demo: Credentials;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-quickstart-"));
    desk = await mkdtemp(join(folder, "desk-"));
    const state = join(folder, "state");
    started = await startUntilReady(state, "--port", `${await freePort()}`, "--no-demo");
    const [partner] = await readdir(join(state, "partners"));
    demo = JSON.parse(await readFile(join(state, "partners", partner!, "credentials.json"), "utf8"));
    const gold = [process.execPath, ...runtimeArguments(GOLD)].map((word) => `'${word}'`).join(" ");
    const profile = `gold() { (cd '${ROOT}' && ${gold} "$@" --state '${state}'); }\n${PROFILE}`;
    await writeFile(join(desk, "profile.sh"), profile);
  });
  after(async () => {
    await started.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Executes the lines as they stand, in the partner's folder; what they print comes back. */
  async function shell(lines: string): Promise<string> {
    const { stdout } = await run("bash", ["--norc", "-euo", "pipefail", "-c", `. ./profile.sh\n${lines}`], {
      cwd: desk,
      env: { PATH: process.env.PATH!, HOME: folder, BASE: started.run.base_url, CA: demo.ca },
      timeout: 60_000,
    });
    return stdout;
  }
  /** Status and body of the one call that the lines make. */
  async function reply(
    lines: string,
  ): Promise<{ status: number; text: string; json: Record<string, unknown> }> {
    const [status = "", ...body] = (await shell(lines)).trimEnd().split("\n").reverse();
    const text = body.reverse().join("\n");
    return { status: Number(status), text, json: JSON.parse(text) as Record<string, unknown> };
  }
  const code = ({ status, json }: Awaited<ReturnType<typeof reply>>) => `${status} ${json.code}`;

  it("makes its keys, is onboarded, and gets a certificate for its request", async () => {
    await shell(`
      openssl ecparam -name prime256v1 -genkey -noout -out tls.key
      openssl ecparam -name prime256v1 -genkey -noout -out signing.key
      openssl ec -in signing.key -pubout -out signing.pub 2>/dev/null
      gold partner create --name "Quickstart Bank" --iban SA0380000000608010167519 --ip 127.0.0.1 --ip ::1 \\
        --webhook https://localhost:9999/hooks --signing-key "$PWD/signing.pub" --json > partner.json
      member client_id < partner.json > client_id
      member client_secret < partner.json > client_secret
      openssl req -new -key tls.key -subj "/O=Quickstart Bank/CN=$(cat client_id)" -out tls.csr
      gold cert issue "$(cat client_id)" --csr "$PWD/tls.csr" --out "$PWD/tls.pem"`);
    const verified = await shell(`openssl x509 -in tls.pem -noout -subject -nameopt RFC2253`);
    assertMatch(verified, /CN=sbx_[a-z0-9]{20},O=Quickstart Bank/);
    assertEquals(await reply("call GET /health"), {
      status: 200,
      text: '{"status":"ok"}',
      json: { status: "ok" },
    });
  });

  it("gets a token, money and a firm quote", async () => {
    const granted = await reply(`call POST /oauth/token -d grant_type=client_credentials \\
      --data-urlencode "client_id=$(cat client_id)" --data-urlencode "client_secret=$(cat client_secret)"`);
    assertEquals([granted.status, granted.json.token_type], [200, "Bearer"]);
    await writeFile(join(desk, "token"), granted.json.access_token as string);
    const funded = await reply(`call POST /sandbox/fund -H "Content-Type: application/json" \\
      -H "Idempotency-Key: fund-1" -d '{"amount_sar":10000}'`);
    assertEquals([funded.status, funded.json.amount_sar], [201, 10000]);
    const quoted = await reply("quote quote-1");
    assertEquals([quoted.status, quoted.json.gold_grams, quoted.json.status], [201, 1.5, "open"]);
    await writeFile(join(desk, "quote_id"), quoted.json.quote_id as string);
  });

  it("signs an order, and gets the same answer to its repeat", async () => {
    const lines = `order "{\\"quote_id\\":\\"$(cat quote_id)\\"}" order-1`;
    const first = await reply(lines);
    assertEquals([first.status, first.json.status, first.json.gold_grams], [201, "executed", 1.5]);
    assertEquals((first.json.balances as { gold: { grams: number } }).gold.grams, 1.5);
    const again = await reply(lines);
    assertEquals([again.status, again.text], [200, first.text]);
    assertMatch(await readFile(join(desk, "head.txt"), "utf8"), /^idempotent-replayed: true\r$/im);
  });

  it("is told what it did wrong: a nonce, a key or a quote for the second time", async () => {
    const nonce = "n".repeat(32);
    const order = (body: string, key: string) => `order '${body}' ${key} ${nonce}`;
    assertEquals(code(await reply(order('{"quote_id":"qt_none"}', "order-2"))), "404 not_found");
    assertEquals(code(await reply(order('{"quote_id":"qt_none"}', "order-3"))), "409 nonce_reused");
    assertEquals(code(await reply(`order '{"quote_id":"qt_none"}' order-1`)), "409 idempotency_key_conflict");
    const other = `order "{\\"quote_id\\":\\"$(cat quote_id)\\"}" order-4`;
    assertEquals(code(await reply(other)), "409 quote_already_executed");
  });

  it("gains nothing by forging what only the gateway may say", async () => {
    const own = await reply(`call GET /v1/balances -H "Authorization: Bearer $(cat token)"`);
    const forged = await reply(`
      other=$(openssl x509 -in '${demo.cert}' -outform DER | openssl dgst -sha256 -hex | sed 's/.* //')
      call GET /v1/balances -H "Authorization: Bearer $(cat token)" -H "X-Forwarded-Client-Cert: Hash=$other" \\
        -H "X-Client-Ip: 192.0.2.1" -H "X-Real-Ip: 192.0.2.1" -H "X-Forwarded-For: 192.0.2.1"`);
    assertEquals([forged.status, forged.json.gold], [200, own.json.gold]);
  });

  it("is of no use to another partner: its token and its secret are refused over another certificate", async () => {
    const asOther = (lines: string) =>
      reply(
        `call() { method=$1 path=$2; shift 2; curl -sS --cacert "$CA" --cert '${demo.cert}' --key '${demo.key}' \\
        -w '\\n%{http_code}\\n' -X "$method" "$BASE$path" "$@"; }\n${lines}`,
      );
    const balances = await asOther(`call GET /v1/balances -H "Authorization: Bearer $(cat token)"`);
    assertEquals(code(balances), "401 token_certificate_mismatch");
    const token = await asOther(`call POST /oauth/token -d grant_type=client_credentials \\
      --data-urlencode "client_id=$(cat client_id)" --data-urlencode "client_secret=$(cat client_secret)"`);
    assertEquals(code(token), "401 invalid_client");
  });

  it("does not even connect without a certificate, or with one that it signed itself", async () => {
    const failed = (lines: string) =>
      shell(`if ${lines} >out.txt 2>&1; then echo connected; else echo refused; fi; cat out.txt`);
    assertStringIncludes(await failed(`curl -sS --cacert "$CA" "$BASE/health"`), "refused");
    const own = await failed(`openssl req -x509 -new -key tls.key -subj "/CN=self" -days 1 -out self.pem &&
      curl -sS --cacert "$CA" --cert self.pem --key tls.key "$BASE/health"`);
    assertStringIncludes(own, "refused");
  });
});
