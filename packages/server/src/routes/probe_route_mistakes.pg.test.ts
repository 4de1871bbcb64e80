import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";
import { type ProbeMistake, type ProbeReply, probeReply } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { expectProblem } from "../../testing/problem.ts";
import { newTestKey, type TestPartner } from "../../testing/partner.ts";
import { suiteService, type TestService } from "../../testing/service.ts";
import {
  base64url,
  type Carelessness,
  foreignKey,
  foreignSignature,
  newForeignPair,
} from "./probe/foreign_fixture.ts";

const TARGET = "/v1/signed-probe?trace=1";
const BODY = '{"quote_id":"qt_1"}';

interface Foreign extends Carelessness {
  readonly partner?: TestPartner;
  readonly nonce?: string;
  /** Sent unchanged, instead of the time in seconds. */
  readonly sentTimestamp?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: ReturnType<typeof foreignKey>;
}

/** Sends a probe from a client that shares no code with the service. */
async function send(service: TestService, foreign: Foreign = {}): Promise<Response> {
  const { partner = service.partner, nonce = randomUUID() } = foreign;
  const timestamp = foreign.sentTimestamp ?? `${Math.floor(service.now() / 1000)}`;
  const request = {
    method: "POST",
    url: service.config.publicBaseUrl + TARGET,
    body: BODY,
    timestamp,
    nonce,
  };
  const key = foreign.key ?? foreignKey(partner.signingKey.privateJwk);
  const signature = foreignSignature(key, request, foreign);
  const signed = { "X-Timestamp": timestamp, "X-Nonce": nonce, "X-JWS-Signature": signature };
  return await service.send(TARGET, { body: BODY, partner, headers: { ...signed, ...foreign.headers } });
}

async function verdict(service: TestService, foreign: Foreign = {}): Promise<ProbeReply> {
  const reply = await send(service, foreign);
  assertEquals(reply.status, 200);
  return probeReply.strict().parse(await reply.json());
}

const falseSteps = ({ steps }: ProbeReply) =>
  Object.entries(steps).filter(([, { ok }]) => ok === false).map(([name]) => name);

describe("the mistake that POST /v1/signed-probe reports", () => {
  const service = suiteService();

  it("is named in the step that failed, and the nonce stays usable for a correct request", async () => {
    const base = service.config.publicBaseUrl;
    const nowMs = `${Math.floor(service.now())}`;
    const table: [ProbeMistake, keyof ProbeReply["steps"], RegExp, Foreign][] = [
      ["path_not_url", "signature", /part of the URL/, { url: TARGET }],
      ["wrong_host", "signature", /another scheme, host or port/, { url: `https://127.0.0.1:8443${TARGET}` }],
      ["explicit_port", "signature", /port 443/, { url: `https://localhost:443${TARGET}` }],
      ["upper_case_hex", "signature", /lower case/, { hash: (hex) => hex.toUpperCase() }],
      ["upper_case_host", "signature", /capital letters/, { url: base.toUpperCase() + TARGET }],
      ["crlf", "signature", /CR LF/, { lines: (all) => all.join("\r\n") }],
      ["trailing_newline", "signature", /end with the nonce/, { lines: (all) => `${all.join("\n")}\n` }],
      ["payload_base64url", "signature", /RFC 7797/, { payload: base64url }],
      ["payload_base64url", "header", /must be false.* RFC 7797|RFC 7797/, {
        payload: base64url,
        header: { alg: "ES256" },
      }],
      ["der_signature", "header", /bytes of DER.* r \|\| s/, { encoding: "der" }],
      ["milliseconds", "timestamp", /ten digits.* divide by 1000/, { sentTimestamp: nowMs }],
      ["body_reserialised", "signature", /exactly these bytes/, { body: '{"quote_id": "qt_1"}' }],
    ];
    for (const [mistake, step, says, careless] of table) {
      const nonce = randomUUID();
      const partner = await service.addPartner();
      const found = await verdict(service, { ...careless, nonce, partner });
      assertEquals([found.valid, found.mistake, falseSteps(found)], [false, mistake, [step]]);
      assertMatch(found.steps[step].detail, says);
      assertEquals((await verdict(service, { nonce, partner })).valid, true, mistake);
    }
  });

  it("is wrong_host if the Host or X-Forwarded-Host header contains the signed host", async () => {
    for (const header of ["Host", "X-Forwarded-Host"]) {
      const foreign = {
        url: `http://gold.bank.internal${TARGET}`,
        headers: { [header]: "gold.bank.internal" },
      };
      assertEquals((await verdict(service, foreign)).mistake, "wrong_host", header);
    }
    assertEquals((await verdict(service, { url: `http://gold.bank.internal${TARGET}` })).mistake, null);
  });

  it("is null if no mistake is proven: other bytes, another key or a truncated signature", async () => {
    const other = await service.addPartner();
    const cases: Foreign[] = [
      { body: '{"quote_id":"qt_2"}' },
      { url: TARGET, key: newForeignPair().privateKey },
      { url: TARGET, key: foreignKey(other.signingKey.privateJwk) },
      { url: TARGET, header: { alg: "ES256", b64: false, crit: ["b64"], kid: "none" } },
      { headers: { "X-JWS-Signature": "eyJhbGciOiJFUzI1NiJ9..AAAA" } },
      { url: TARGET, headers: { "X-Nonce": "short" } },
      { url: TARGET, sentTimestamp: `${Math.floor(service.now() / 1000) - 1000}` },
      { encoding: "der", key: newForeignPair().privateKey },
      { sentTimestamp: "17950000001230" },
    ];
    for (const [index, foreign] of cases.entries()) {
      const { valid, mistake } = await verdict(service, foreign);
      assertEquals([valid, mistake], [false, null], `case ${index}`);
    }
  });

  it("is found with any of the caller's own active keys", async () => {
    const partner = await service.addPartner();
    const { thumbprint, publicJwk, privateJwk } = await newTestKey();
    const { sql } = service.books;
    await sql`
      insert into gold.signing_key (partner_id, thumbprint, kid, jwk)
      values (${partner.client}, ${thumbprint}, 'second', ${sql.json({ ...publicJwk } as never)})`;
    await sql`select gold.registry_changed()`;
    await service.refresh();
    const own = { partner, key: foreignKey(privateJwk) };
    const header = { alg: "ES256", b64: false, crit: ["b64"] };
    assertEquals((await verdict(service, { ...own, encoding: "der" })).mistake, "der_signature");
    assertEquals((await verdict(service, { ...own, url: TARGET })).mistake, "path_not_url");
    const second = { ...header, kid: "second" };
    assertEquals((await verdict(service, { ...own, url: TARGET, header: second })).mistake, "path_not_url");
    const first = { ...header, kid: partner.signingKey.thumbprint };
    assertEquals((await verdict(service, { ...own, url: TARGET, header: first })).mistake, null);
  });

  it("is reported without storing any data from the unverified request", async () => {
    const marker = `m${randomUUID().replaceAll("-", "")}`;
    const before = await rows(service);
    const shouted: Foreign = { nonce: marker, headers: { Host: marker, "X-Forwarded-Host": marker } };
    const header = { alg: "ES256", b64: false, crit: ["b64"], kid: marker };
    for (const careless of [{ url: TARGET }, { encoding: "der" }, { body: marker }, { header }] as const) {
      assertEquals((await verdict(service, { ...shouted, ...careless })).valid, false);
    }
    // Meanwhile, the process may write its use of the rates for the first time.
    const counts = (all: Awaited<ReturnType<typeof rows>>) =>
      all.filter(({ table }) => table !== "rate_use").map(({ table, count }) => [table, count]);
    assertEquals(counts(await rows(service)), counts(before));
    const kept = (await rows(service)).map(({ text }) => text).join("") + service.log.join("");
    assert(kept.includes(service.partner.clientId), "no searched table contains the client_id");
    for (const spelling of [marker, Buffer.from(marker).toString("hex")]) assert(!kept.includes(spelling));
  });
});

describe("the rate limit of explained probes", () => {
  const service = suiteService();

  it("counts only explained probes, separately for each partner", async () => {
    const uncounted: Foreign[] = [{}, { headers: { "X-JWS-Signature": "none" } }, {
      headers: { "X-Nonce": "x" },
    }];
    for (const foreign of uncounted) await verdict(service, foreign);
    await expectProblem(
      send(service, { url: TARGET, headers: { Prefer: "handling=strict" } }),
      "signature_invalid",
    );
    const startMs = performance.now();
    let explained = 0;
    let last = await send(service, { url: TARGET });
    for (; last.status === 200 && explained < 100; last = await send(service, { url: TARGET })) {
      assertEquals((await last.json() as ProbeReply).mistake, "path_not_url");
      explained++;
    }
    const paidBack = Math.floor((performance.now() - startMs) / 1000);
    assert(explained >= 30 && explained <= 31 + paidBack, `${explained}`);
    assertMatch(last.headers.get("RateLimit") ?? "", /^"diagnosis";r=0;t=\d+$/);
    const { detail } = await expectProblem(last, "rate_limited");
    assertStringIncludes(detail, "at most one failed signature per second");

    assertEquals((await verdict(service)).valid, true);
    await expectProblem(
      send(service, { url: TARGET, headers: { Prefer: "handling=strict" } }),
      "signature_invalid",
    );
    for (const foreign of uncounted) await verdict(service, foreign);
    const partner = await service.addPartner();
    assertEquals((await verdict(service, { url: TARGET, partner })).mistake, "path_not_url");
    await sleep(1100);
    assertEquals((await verdict(service, { url: TARGET })).mistake, "path_not_url");
  });
});

/** Every table of the schema, with its rows as one text. */
async function rows({ books }: TestService): Promise<{ table: string; count: number; text: string }[]> {
  const tables = await books.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'gold'::regnamespace and relkind in ('r', 'p') order by 1`;
  return await Promise.all(tables.map(async ({ name }) => {
    const [found] = await books.sql<{ count: number; text: string }[]>`
      select count(*)::int as count, coalesce(string_agg(t::text, ' '), '') as text from gold.${
      books.sql(name)
    } t`;
    return { table: name, ...found! };
  }));
}
