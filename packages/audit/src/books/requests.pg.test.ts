import { Buffer } from "node:buffer";
import { after, before, describe, it } from "node:test";
import { hostBytes, ORDER, textsOf } from "@gold-partner/protocol";
import {
  bookSignedOrders,
  createTrader,
  newTestKey,
  signTestRequest,
  type TestBooks,
  testBooks,
  type TestKey,
  type Trader,
  unsign,
} from "@gold-partner/server/testing";
import { assert, assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import { auditBooks, type AuditOptions, type AuditReport } from "../full_audit.ts";
import { openAuditConnection } from "../snapshot.ts";
import { lookAfter } from "../audit_fixture.ts";

const BASE_URL = "https://localhost:8443";
const ORDERS = 2;

describe("the audit of stored requests", () => {
  let books: TestBooks;
  let sql: Sql;
  let trader: Trader;
  /** The newest order's key, and its stored request in hex. */
  let order: { readonly key: string; readonly request: string };
  before(async () => {
    books = await testBooks();
    sql = openAuditConnection(books.url);
    await books.addBar(100_000_000n);
    trader = await createTrader(books.sql);
    for (let number = 0; number < ORDERS; number++) {
      await bookSignedOrders(books.api, [trader], BASE_URL, "buy", 10n);
    }
    const [row] = await sql`
      select key, request from gold.idempotency_key where result_kind = 'order' order by created_at desc limit 1`;
    order = { key: row!.key, request: row!.request };
  });
  after(async () => {
    await sql?.end({ timeout: 1 });
    await books?.stop();
  });

  /** Audits the books after a superuser's edit, and undoes the edit. */
  const auditAfter = (edit: string, options: AuditOptions = {}): Promise<AuditReport> =>
    lookAfter(
      books.url,
      (transaction) => transaction.unsafe(edit),
      (transaction) => auditBooks(transaction, { rowsOnly: true, ...options }),
    );

  const rulesOf = ({ counts }: AuditReport) => Object.fromEntries(counts);

  /** Gives the newest order a request that another key signed, and seals the chain again. */
  async function forgery(): Promise<string> {
    const request = await forge(order.request, await newTestKey());
    return `
      set local session_replication_role = replica;
      update gold.idempotency_key set request = '\\x${request}' where key = '${order.key}';
      update gold.orders o set answer =
        gold.answer_of(k.key, k.fingerprint, k.status, k.request_id, k.body, k.request, k.signing_thumbprint)
        from gold.idempotency_key k where k.key = '${order.key}' and o.id = k.result_id;
      delete from gold.chain_link where client_id = ${trader.client};
      delete from gold.chain_tail where client_id = ${trader.client};
      select gold.seal_chain(${trader.client})`;
  }

  it("verifies the signature of every order", async () => {
    const report = await auditAfter("select 1");
    assertEquals([report.findings, report.verified, report.unsigned], [[], ORDERS, 0]);
  });

  it("reports a signature of another key, even if the chain is sealed again", async () => {
    const report = await auditAfter(await forgery());
    assertEquals(rulesOf(report), { request_is_signed: 1 });
    assertEquals(report.findings[0]!.row, `idempotency_key ${trader.client} ${order.key} request`);
  });

  it("verifies no signature with --signatures none, and a random part of them with --signatures 5%", async () => {
    const edit = await forgery();
    const none = await auditAfter(edit, { signatures: 0 });
    assertEquals([none.findings, none.verified], [[], 0]);
    const { random } = Math;
    try {
      for (const [drawn, verified] of [[0.0499, ORDERS], [0.05, 0]] as const) {
        Math.random = () => drawn;
        const report = await auditAfter(edit, { signatures: 0.05 });
        assertEquals(report.verified, verified);
        assertEquals(rulesOf(report), verified ? { request_is_signed: 1 } : {});
      }
    } finally {
      Math.random = random;
    }
  });

  it("reports a request that was signed with a retired key", async () => {
    const retire = (seconds: number) =>
      auditAfter(`
        set local session_replication_role = replica;
        update gold.signing_key set retire_at = (select created_at from gold.idempotency_key where key = '${order.key}')
          - interval '${seconds} s' where partner_id = ${trader.client}`);
    const found = ({ findings }: AuditReport) =>
      findings.filter(({ rule }) => rule === "request_is_signed").map(({ row }) => row);
    assertEquals(
      found(await retire(6)).includes(`idempotency_key ${trader.client} ${order.key} request key`),
      true,
    );
    // The clocks of the database and of the service may differ by 5 seconds.
    assertEquals(found(await retire(4)), []);
  });

  it("counts an unsigned order from before requests_kept_since, and reports one that is newer", async () => {
    const [{ id }] = await sql<[{ id: string }]>`
      select result_id as id from gold.idempotency_key where key = ${order.key}`;
    const end = `
      with ended as (
        update gold.deployment set requests_kept_since = gold.ceil_millisecond(clock_timestamp()) returning *
      )
      select gold.note('deployment.finish', 'deployment',
        jsonb_build_object('requests_kept_since', gold.instant_text(requests_kept_since))) from ended;`;
    const unsigned = `set local session_replication_role = replica; ${unsign(id)};`;
    const early = await auditAfter(end + unsigned);
    assertEquals([early.findings, early.unsigned], [[], 1]);
    const late = await auditAfter(unsigned);
    assertEquals([rulesOf(late), late.unsigned], [{ request_is_kept: 1 }, 0]);
    assertEquals(late.findings[0]!.row, `order ${id}`);
  });

  it("accepts an order with every text that a request may give", async () => {
    const texts = Object.fromEntries(Object.keys(textsOf(ORDER)).map((name) => [name, `my ${name}`]));
    await bookSignedOrders(books.api, [trader], BASE_URL, "buy", 10n, texts);
    const { findings } = await auditAfter("select 1");
    assertEquals(findings, []);
    const [row] = await sql`select body from gold.idempotency_key where body like '%my reference%'`;
    for (const [name, text] of Object.entries(texts)) assert(row!.body.includes(`"${name}":"${text}"`), name);
  });

  it("reports an order without a text that its signed request gives, for each text of orders", async () => {
    const texts = Object.keys(textsOf(ORDER));
    assert(texts.length >= 2);
    for (const [index, name] of texts.entries()) {
      await bookSignedOrders(books.api, [trader], BASE_URL, "buy", 10n, {}, { [name]: "lost" });
      assertEquals(rulesOf(await auditAfter("select 1")), { request_matches: index + 1 }, name);
    }
  });
});

/** The same request, but signed with `key`. */
async function forge(request: string, { signer }: TestKey): Promise<string> {
  const [method, target, timestamp, nonce, _, body] = Buffer.from(request, "hex").toString().split("\n");
  const headers = await signTestRequest({
    method: method!,
    url: BASE_URL + target,
    body: hostBytes.utf8(body!),
    timestamp: timestamp!,
    nonce: nonce!,
  }, signer);
  const forged = [method, target, timestamp, nonce, headers["X-JWS-Signature"], body].join("\n");
  return Buffer.from(forged).toString("hex");
}
