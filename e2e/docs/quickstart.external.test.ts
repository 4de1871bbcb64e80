import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertNotEquals } from "../../tools/testing/assert.ts";
import { Reader, REPOSITORY } from "./page_fixture.ts";
import type { Credentials } from "@gold-partner/dev";
import type { Shell } from "./shell_fixture.ts";

interface ProxyExpectations {
  readonly options: readonly string[];
  /** The HTTP version that curl negotiates if it may choose. */
  readonly httpVersion: string;
  /** The output of curl on a new connection, keyed by what is wrong with the certificate. */
  readonly refusals: Readonly<Record<"missing" | "foreign" | "expired" | "revoked", RegExp>>;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

function testQuickstart({ options, httpVersion, refusals }: ProxyExpectations): void {
  let reader: Reader;
  let shell: Shell;
  let demo: Credentials;
  /** A folder with everything that the repository has. */
  let clone: string;

  before(async () => {
    reader = await Reader.arrive(...options);
    const partners = join(reader.folder, "state", "partners");
    const [partner] = await readdir(partners);
    demo = JSON.parse(await readFile(join(partners, partner!, "credentials.json"), "utf8"));
    shell = await reader.openShell();
    clone = join(reader.folder, "clone");
    await mkdir(clone);
    for (const name of await readdir(REPOSITORY)) await symlink(join(REPOSITORY, name), join(clone, name));
    await shell.run("unset REPOSITORY");
  });
  after(() => reader?.leave());

  /** Runs lines that make one call with the page's own functions, and returns the reply. */
  async function reply(lines: string): Promise<Reply> {
    const [status = "", ...body] = (await shell.run(lines)).trimEnd().split("\n").reverse();
    const text = body.reverse().join("\n");
    return { status: Number(status), text, json: JSON.parse(text) as Record<string, unknown> };
  }
  const code = ({ status, json }: Reply) => `${status} ${json.code}`;
  const balances = "call GET /v1/balances -H @token.txt";
  const signed = (body: string, key: string) =>
    `sign POST /v1/orders ${body}\npost /v1/orders ${body} ${key} -H @signed.txt`;

  for (const [run, page] of ["quickstart.md", "quickstart.md", "rotation.md"].entries()) {
    it(`works as printed, with the output that the page shows: ${page}, run ${run + 1}`, async () => {
      if (page === "quickstart.md") await shell.run(`cd '${clone}'`);
      assert((await reader.follow(shell, page)).length > 0);
    });
  }

  it("writes nothing into the clone, in which it is pasted twice", async () => {
    assertEquals((await readdir(clone)).sort(), (await readdir(REPOSITORY)).sort());
    const folders = (await readdir(reader.folder)).filter((name) => name.startsWith("gold_partner_"));
    assertEquals(folders.length, 2);
  });

  it("replays the first reply byte for byte for a repeated order, and marks it as a replay", async () => {
    const first = await reply(`
      post /v1/quotes '{"side":"buy","gold_grams":0.25}' "$(new_key)" > quote.txt
      BOUGHT=$(printf '{"quote_id":"%s"}' "$(member quote_id)") BOUGHT_KEY=$(new_key)
      ${signed('"$BOUGHT"', '"$BOUGHT_KEY"')}`);
    assertEquals([first.status, first.json.status], [201, "executed"]);
    const again = await reply(signed('"$BOUGHT"', '"$BOUGHT_KEY"'));
    assertEquals([again.status, again.text], [200, first.text]);
    assertMatch(await shell.run("cat headers.txt"), /^idempotent-replayed: true\r$/im);
  });

  it("returns a specific error for a nonce, an idempotency key or a quote that was used before", async () => {
    const none = `'{"quote_id":"qt_none"}'`;
    assertEquals(code(await reply(signed(none, '"$(new_key)"'))), "404 not_found");
    const replayed = await reply(`post /v1/orders ${none} "$(new_key)" -H @signed.txt`);
    assertEquals(code(replayed), "409 nonce_reused");
    assertEquals(code(await reply(signed(none, '"$BOUGHT_KEY"'))), "409 idempotency_key_conflict");
    assertEquals(code(await reply(signed('"$BOUGHT"', '"$(new_key)"'))), "409 quote_already_executed");
  });

  it("rejects each rotated credential when the page says that it ends", async () => {
    const withOldKey = [
      "cp signing.key now.key; cp signing_old.key signing.key",
      signed('"$BOUGHT"', '"$BOUGHT_KEY"'),
      "mv now.key signing.key",
    ];
    assertEquals(code(await reply(withOldKey.join("\n"))), "401 signature_invalid");
    const token = (file: string) =>
      reply(`member client_secret ${file} | tr -d '\\n' > secret.txt
        call POST /oauth/token -d grant_type=client_credentials --data-urlencode "client_id=$CLIENT_ID" \\
          --data-urlencode client_secret@secret.txt`);
    const [older, newer] = [await token("partner.json"), await token("secret.json")];
    assertEquals([older.status, newer.status], [200, 200]);
    await shell.run(`gold secret rotate "$CLIENT_ID" --overlap 0 --yes --json > last_secret.json`);
    assertEquals((await token("last_secret.json")).status, 200);
    // Repeat, because the service checks only once a second for credentials that have ended.
    const codes = async () => [code(await token("partner.json")), code(await token("secret.json"))];
    const ended = ["401 invalid_client", "401 invalid_client"];
    const until = performance.now() + 30_000;
    while (`${await codes()}` !== `${ended}` && performance.now() < until) await shell.run("sleep 0.5");
    assertEquals(await codes(), ended);
  });

  it("ignores a client's forged proxy headers", async () => {
    const own = await reply(balances);
    const forged = await reply(`
      other=$(openssl x509 -in '${demo.cert}' -outform DER | openssl dgst -sha256 -hex | sed 's/.* //')
      ${balances} -H "X-Forwarded-Client-Cert: Hash=$other" \\
        -H "X-Client-Ip: 192.0.2.1" -H "X-Real-Ip: 192.0.2.1" -H "X-Forwarded-For: 192.0.2.1"`);
    assertEquals([forged.status, forged.json.gold], [200, own.json.gold]);
    assertNotEquals(own.json.gold, { grams: 0 });
  });

  it("rejects this partner's token and secret over another partner's certificate", async () => {
    const asOther = `--cert '${demo.cert}' --key '${demo.key}'`;
    assertEquals(code(await reply(`${balances} ${asOther}`)), "401 token_certificate_mismatch");
    const token = await reply(`call POST /oauth/token -d grant_type=client_credentials ${asOther} \\
      --data-urlencode "client_id=$CLIENT_ID" --data-urlencode client_secret@client_secret`);
    assertEquals(code(token), "401 invalid_client");
  });

  it("refuses a missing, foreign, expired or revoked client certificate", async () => {
    const authorityKey = join(reader.folder, "state", "pki", "partner_ca_key.pem");
    await shell.run(`
      openssl req -x509 -new -key tls.key -subj "/CN=self" -days 1 -out foreign.crt
      gold ca show --json > authority.json
      printf %b "$(member certificates authority.json)" > authority.pem
      openssl x509 -req -in tls_next.csr -CA authority.pem -CAkey '${authorityKey}' -set_serial 1 -days -1 -out expired.crt`);
    const connect = (certificate: string) =>
      shell.run(`curl -sS --cacert "$CA" --tls-max 1.2 ${certificate} "$BASE_URL/health" 2>&1 || true`);
    assertMatch(await connect(""), refusals.missing);
    assertMatch(await connect("--cert foreign.crt --key tls.key"), refusals.foreign);
    assertMatch(await connect("--cert expired.crt --key tls.key"), refusals.expired);
    assertMatch(await connect("--cert tls_old.crt --key tls_old.key"), refusals.revoked);
    assertEquals(await connect("--cert tls.crt --key tls.key"), '{"status":"ok"}');
    const stranger = await shell.run(`curl -sS --cacert authority.pem "$BASE_URL/health" 2>&1 || true`);
    assertMatch(stranger, /^curl: \(60\) SSL certificate problem: /);
  });

  it("works over TLS 1.2 and 1.3, and over each HTTP version of the proxy", async () => {
    for (const tls of ["1.2", "1.3"]) {
      for (const [option, version] of [["--http1.1", "1.1"], ["--http2", httpVersion], ["", httpVersion]]) {
        const came = await shell.run(`
          call GET /v1/prices -H @token.txt --tlsv${tls} --tls-max ${tls} ${option} --verbose \\
            --write-out '\\n%{http_version} %{http_code}\\n' 2> verbose.txt | tail -n 1
          grep -o 'SSL connection using TLSv1.[23]' verbose.txt`);
        assertEquals(came, `${version} 200\nSSL connection using TLSv${tls}\n`);
      }
    }
  });
}

/** The gateway closes the connection without giving a reason. */
const ENDED = /^curl: \(/;

describe("the printed quickstart through the development gateway", () => {
  const revoked = /"code":"certificate_revoked"/;
  testQuickstart({
    options: [],
    httpVersion: "1.1",
    refusals: { missing: ENDED, foreign: ENDED, expired: ENDED, revoked },
  });
});

describe("the printed quickstart through Envoy", () => {
  testQuickstart({
    options: ["--envoy"],
    httpVersion: "2",
    refusals: {
      missing: /alert handshake failure/,
      foreign: /alert unknown ca/,
      expired: /\(60\) SSL certificate verification failed/,
      revoked: /alert certificate revoked/,
    },
  });
});
