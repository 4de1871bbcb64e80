import { after, before, describe, it } from "node:test";
import { newTestKey } from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { jwkThumbprint } from "@gold-partner/jws";
import { runGold } from "../../gold_fixture.ts";
import { generateKeyPair } from "../../pki/key_pair.ts";
import { writePem } from "../../pki/pem.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const IBAN = "SA0380000000608010167519";

describe("gold partner", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  let keys = 0;
  async function newKey(): Promise<string> {
    const { publicKeySpki } = await generateKeyPair();
    return await operator.write(`public_${keys++}.pem`, writePem("PUBLIC KEY", publicKeySpki));
  }
  const options = async (changes: Record<string, string | null> = {}) =>
    Object.entries({
      name: "Example Bank",
      iban: IBAN,
      ip: "203.0.113.0/24",
      webhook: "https://bank.example/hooks",
      "signing-key": await newKey(),
      ...changes,
    }).flatMap(([name, value]) => value === null ? [] : [`--${name}`, value]);
  const create = async (changes: Record<string, string | null> = {}, ...more: string[]) =>
    await operator.gold("partner", "create", ...await options(changes), ...more, "--json");
  const count = async (table: string) =>
    Number((await operator.service.books.sql.unsafe(`select count(*) as rows from gold.${table}`))[0]!.rows);

  describe("create", () => {
    it("prints the id and the secrets in one JSON object", async () => {
      const { json, err, exit } = await create({ webhook: "https://localhost/hooks" });
      const shared = `The IBAN ${IBAN} also belongs to Test Bank (${operator.service.partner.clientId}).`;
      assertEquals([exit, err, Object.keys(json)], [0, shared, [
        "client_id",
        "name",
        "client_secret",
        "webhook_secret",
      ]]);
      assertMatch(json.client_id as string, /^sbx_[a-z0-9]{20}$/);
      assertMatch(json.client_secret as string, /^[A-Za-z0-9_-]{43}$/);
      assertMatch(json.webhook_secret as string, /^whsec_/);
      assertEquals((await create()).json.client_id === json.client_id, false);
    });

    it("accepts a webhook host without an address, and prints only the JSON object with --json", async () => {
      const iban = "SA4420000001234567891234";
      const { json, err, exit } = await create({ webhook: "https://hooks.invalid/", iban });
      assertEquals([exit, err, Object.keys(json).length], [0, "", 4]);
    });

    it("stores no secret in plain text, and audits the operator's login without the secrets", async () => {
      const { client_id, client_secret, webhook_secret } = (await create()).json as Record<string, string>;
      const { sql } = operator.service.books;
      const [stored] = await sql`
        select c.hash::text || w.sealed::text as bytes, octet_length(c.hash) as hash_bytes from gold.partner p
        join gold.client_secret c on c.partner_id = p.id join gold.webhook_secret w on w.partner_id = p.id
        where p.public_id = ${client_id!}`;
      assertEquals(stored!.hash_bytes, 32);
      const hex = (text: string) =>
        [...new TextEncoder().encode(text)].map((byte) => byte.toString(16)).join("");
      assert(!stored!.bytes.includes(hex(client_secret!)) && !stored!.bytes.includes(hex(webhook_secret!)));
      const [audit] =
        await sql`select login, action, detail::text from gold.audit where subject = ${client_id!}`;
      assertEquals([audit!.login, audit!.action], [operator.login, "partner.create"]);
      assert(!audit!.detail.includes(client_secret) && !audit!.detail.includes(webhook_secret));
    });

    it("prints a client secret that the service accepts", async () => {
      const { client_id, client_secret } = (await create({ ip: "127.0.0.1/32" })).json as Record<
        string,
        string
      >;
      const fingerprint = "cd".repeat(32);
      const { sql } = operator.service.books;
      await sql`select gold.add_certificate(${client_id!}, ${fingerprint}, '1', now() - interval '1 hour', now() + interval '1 hour')`;
      await operator.service.refresh();
      const reply = await operator.service.send("/oauth/token", {
        body: `grant_type=client_credentials&client_id=${client_id}&client_secret=${client_secret}`,
        headers: {
          Authorization: null,
          "X-Forwarded-Client-Cert": `Hash=${fingerprint}`,
          "Content-Type": "application/x-www-form-urlencoded",
        },
      });
      assertEquals(reply.status, 200);
    });

    it("accepts several addresses and several keys, as PEM or as JWK with a kid", async () => {
      const { publicJwk } = await newTestKey();
      const jwk = await operator.write("public.jwk", JSON.stringify({ ...publicJwk, kid: "hsm-1" }));
      const { json } = await create(
        {},
        "--ip",
        "2001:db8::1",
        "--ip",
        "::ffff:198.51.100.7",
        "--signing-key",
        jwk,
      );
      const shown = await operator.done("partner", "show", json.client_id as string);
      assertEquals((shown.ips as string[]).sort(), ["198.51.100.7/32", "2001:db8::1/128", "203.0.113.0/24"]);
      const keys = await operator.service.books.sql`
        select k.kid, k.thumbprint from gold.signing_key k join gold.partner p on p.id = k.partner_id
        where p.public_id = ${json.client_id as string}`;
      assertEquals(keys.map(({ kid }) => kid).sort(), ["hsm-1", null]);
      assert(keys.map(({ thumbprint }) => thumbprint).includes(await jwkThumbprint(publicJwk)));
    });

    it("rejects a key of another partner, and creates no partner", async () => {
      const file = await newKey();
      const { client_id } = (await create({ "signing-key": file })).json;
      const partners = await count("partner");
      refused(await create({}, "--signing-key", file), 1, `registered for ${client_id}`);
      assertEquals(await count("partner"), partners);
    });

    it("names a key that is given twice, and creates no partner", async () => {
      const file = await newKey();
      const partners = await count("partner");
      const given = await create({ "signing-key": file }, "--signing-key", file);
      refused(given, 1, "The table signing_key already has a record with partner_id, thumbprint = ");
      assertEquals(await count("partner"), partners);
    });

    it("rejects a missing or invalid option, names the option, and creates no partner", async () => {
      const partners = await count("partner");
      for (const name of ["name", "iban", "ip", "webhook", "signing-key"]) {
        refused(await create({ [name]: null }), 2, `--${name}`);
      }
      const privateJwk = await operator.write(
        "private.jwk",
        JSON.stringify((await newTestKey()).privateJwk),
      );
      refused(await create({ ip: "203.0.113.300" }), 2, "--ip");
      refused(await create({ ip: "203.0.113.0/33" }), 2, "--ip");
      refused(await create({ webhook: "http://bank.example" }), 2, "--webhook");
      refused(await create({ webhook: "https://user:pw@bank.example" }), 2, "--webhook");
      refused(await create({ webhook: "https://169.254.169.254/" }), 2, "is not public (linkLocal)");
      refused(await create({ webhook: "https://[::ffff:10.0.0.1]/" }), 2, "is not public");
      refused(await create({ webhook: "https://8.8.8.8:9000/" }), 2, "must be 443 or 8443");
      refused(await create({ rate: "0/s" }), 2, "--rate");
      refused(await create({ burst: "many" }), 2, "--burst");
      refused(await create({ "max-grams": "1000000000" }), 2, "--max-grams");
      refused(await create({ "signing-key": operator.path("nowhere.pem") }), 2, "nowhere.pem");
      refused(await create({ "signing-key": privateJwk }), 1, "private");
      refused(await create({ iban: "SA0380000000608010167510" }), 2, "--iban");
      refused(await create({ iban: "DE89370400440532013000" }), 2, "SA");
      assertEquals(await count("partner"), partners);
    });
  });

  it("list and show print each partner's state", async () => {
    const { client_id } = (await create()).json as Record<string, string>;
    const listed = async () =>
      itemsOf(await operator.done("partner", "list")).find((one) => one.client_id === client_id)!;
    const { name, status, webhook, events_waiting } = await listed();
    const created = [name, status, webhook, events_waiting];
    const { sql } = operator.service.books;
    await sql`
      insert into gold.endpoint (bucket, client_id, failures)
      select id % 64, id, 3 from gold.partner where public_id = ${client_id!}`;
    assertEquals((await listed()).webhook, "failing");
    await sql`update gold.endpoint set disabled_at = clock_timestamp() where failures = 3`;
    assertEquals((await listed()).webhook, "disabled");
    assertEquals(created, [
      "Example Bank",
      "active",
      "ok",
      (await operator.done("partner", "show", client_id!)).events_waiting,
    ]);
    const shown = await operator.done("partner", "show", client_id!);
    assertEquals(
      [shown.iban, shown.rate_per_second, shown.burst, shown.sar_available, shown.sar_held, shown.gold_grams],
      [IBAN, 50, 200, "0", "0", "0"],
    );
    refused(await operator.gold("partner show sbx_aaaaaaaaaaaaaaaaaaaa"), 1, "sbx_aaaaaaaaaaaaaaaaaaaa");
    const table = await operator.gold("partner", "list");
    assertMatch(table.out, /^client_id +name +status +webhook +events_waiting +created_at\n/);
  });

  it("suspend and resume change the state once each, and write audit rows", async () => {
    const { client_id } = (await create()).json as { client_id: string };
    assertEquals((await operator.done("partner", "suspend", client_id)).status, "suspended");
    assertEquals((await operator.done("partner", "show", client_id)).status, "suspended");
    refused(await operator.gold("partner", "suspend", client_id, "--yes"), 1, "suspended already");
    assertEquals((await operator.done("partner", "resume", client_id)).status, "active");
    refused(await operator.gold("partner", "resume", client_id), 1, "not suspended");
    refused(await operator.gold("partner", "suspend", "nobody", "--yes"), 1, "nobody");
    const rows = await operator.service.books.sql`
      select action, login from gold.audit where subject = ${client_id} order by id`;
    const actions = ["partner.create", "partner.limit", "partner.suspend", "partner.resume"];
    assertEquals(rows.map(({ action }) => action), actions);
    assertEquals(new Set(rows.map(({ login }) => login)), new Set([operator.login]));
  });

  it("suspend is refused for the service's own login", async () => {
    const api = new URL(operator.service.books.url);
    api.searchParams.set("role", "gold_api");
    const run = await runGold(["partner", "suspend", operator.service.partner.clientId, "--yes"], {
      env: { DATABASE_URL: api.href },
    });
    refused(run, 1, "This command needs one of the roles treasury, credentials");
    assertEquals(run.problem.code, "not_permitted");
  });
});
