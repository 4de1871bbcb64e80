// Fills a database with at least one row in every table, as the service and the operators would, so that the
// audit finds nothing.
import { createHash, randomBytes, randomUUID, X509Certificate } from "node:crypto";
import {
  approveSigned,
  closingToday,
  createTestAuthority,
  newSignatory,
  newTestKey,
  operatorKeysOf,
  type Proposed,
  proposeSigned,
  registerRootKeys,
  signedWrite,
  type TestBooks,
  testBooks,
  type TestKey,
} from "@gold-partner/server/testing";
import { newSoftwareKey, type SoftwareKey } from "@gold-partner/approvals/testing";
import type { Sql } from "postgres";
import { dropLogins } from "../../../tools/testing/drop_logins.ts";
import { connectAs } from "./audit_fixture.ts";

export interface AuditedBooks {
  readonly books: TestBooks;
  /** The partner that owns every kind of record. */
  readonly client: number;
  readonly publicId: string;
  /** The two operators. */
  readonly logins: readonly [string, string];
  /** The file of the first operators' keys. */
  readonly operatorKeys: string;
  /** A key of the first operator that was ended. */
  readonly endedKey: SoftwareKey;
  /** A proposal that the second operator signed before this end, and that nobody decided. */
  readonly pending: Proposed;
  stop(): Promise<void>;
}

const IBAN = "SA0380000000608010167519";

export async function auditedBooks(): Promise<AuditedBooks> {
  const books = await testBooks();
  const { sql } = books;
  const logins = [newLogin(), newLogin()] as const;
  for (const login of logins) await sql`select gold.add_operator(${login}, ${login})`;
  const [maker, checker] = logins.map((login) => connectAs(books, login)) as [Sql, Sql];
  const publicId = newClientId();
  await sql`select gold.set_payout_account('Gold House', 'SA9480000000000000000001', 'EXAMSARI')`;
  const key = await newTestKey("first");
  const client = await registerPartner(maker, publicId, key);
  await changeRegistry(maker, checker, sql, publicId);
  await trade(books, maker, client, key);
  await moveMoney(books, maker, checker, client, publicId, key);
  await requestChanges(books, maker, client, publicId, key);
  await deliver(sql, client);
  await closingToday(sql, async () => {
    // The first call raises the account's instant to the end of the day; the second one posts the event.
    for (let step = 0; step < 2; step++) await sql`select gold.close_day(${client})`;
  });
  // A price of the source that jumped has closed the market.
  await maker`select gold.set_price('simulated', 3200000, 3210000, 3190000, 60, 10, null)`;
  await maker`select gold.set_breaker(500, 60)`;
  await sql.begin(async (transaction) => {
    await transaction`set local session authorization gold_ticker`;
    await transaction`
      select gold.tick_price(ticked_at, url, spread_basis_points, 4000000, 4010000, 3990000, null) from gold.current_price`;
  });
  await maker`select gold.set_band(200, 500)`;
  await maker`select gold.set_market_hours(false, '[{"day":0,"opens":"10:00","closes":"15:00"}]')`;
  await registerPartner(maker, newClientId(), await newTestKey());
  const signed = await propose(books, maker, checker, publicId);
  for (const type of ["credential.ended", "credential.expiring", "settlement.changed", "day.closed"]) {
    await sql`
      select gold.simulate_event(a, jsonb_build_object('type', ${type}::text), clock_timestamp())
      from gold.account a where a.client_id = ${client}`;
  }
  await deliverFurther(sql, client);
  await sql`select gold.read_reserves()`;
  await sql`select gold.seal_chain(id) from gold.partner`;
  await Promise.all([maker.end(), checker.end()]);
  return {
    books,
    client,
    publicId,
    logins,
    ...signed,
    async stop() {
      await dropLogins(sql, ...logins);
      await books.stop();
    },
  };
}

const newClientId = () => `sbx_${randomUUID().replaceAll("-", "").slice(0, 20)}`;

const newLogin = () => `auditor_${randomBytes(4).toString("hex")}`;

async function newKey() {
  const { thumbprint, publicJwk } = await newTestKey();
  return { thumbprint, jwk: JSON.stringify(publicJwk) };
}

async function registerPartner(maker: Sql, publicId: string, key: TestKey): Promise<number> {
  const keys = JSON.stringify([{ thumbprint: key.thumbprint, kid: "first", jwk: key.publicJwk }]);
  const [row] = await maker`
    select gold.create_partner(${publicId}, 'Test Bank', ${IBAN}, 'https://localhost/', 2000, 2000, 10000000,
      '{127.0.0.1/32,10.0.0.0/8}', ${randomBytes(32)}, ${
    randomBytes(60)
  }, 'none', ${keys}::text::jsonb) as client`;
  return row!.client;
}

async function changeRegistry(maker: Sql, checker: Sql, admin: Sql, publicId: string): Promise<void> {
  const authority = createTestAuthority().ca;
  const fingerprint = createHash("sha256").update(new X509Certificate(authority).raw).digest("hex");
  await maker`select gold.add_authority(true, ${fingerprint}, ${authority}, 'file:/run/ca', 'a list', now() + interval '30 days')`;
  await maker`select gold.store_revocation_list(${fingerprint}, 2, 'a newer list', now() + interval '60 days')`;
  for (const days of [5, 200]) {
    await maker`select gold.add_certificate(${publicId}, ${
      randomBytes(32).toString("hex")
    }, '4a', now(), now() + make_interval(days => ${days}), ${fingerprint}, ${
      randomBytes(32).toString("hex")
    })`;
  }
  const [revoked] =
    await maker`select fingerprint from gold.certificate_overview where public_id = ${publicId} order by not_after desc limit 1`;
  await maker`select gold.revoke_certificate(${revoked!.fingerprint}, 'superseded')`;
  const added = await newKey();
  await maker`select gold.add_signing_key(${publicId}, ${added.thumbprint}, 'second', ${added.jwk}::text::jsonb)`;
  const third = await newKey();
  await maker`select gold.add_signing_key(${publicId}, ${third.thumbprint}, null, ${third.jwk}::text::jsonb)`;
  await maker`select gold.retire_signing_key(${publicId}, ${third.thumbprint}, 'infinity')`;
  await maker`select gold.rotate_client_secret(${publicId}, ${randomBytes(32)}, 3600)`;
  await maker`select gold.rotate_webhook_secret(${publicId}, ${randomBytes(60)}, 'none', 3600)`;
  for (const types of ["{order.executed}", null]) {
    await maker`select gold.add_endpoint(${publicId}, 'https://further.example/', ${types}::text::text[], ${
      randomBytes(60)
    }, 'none')`;
  }
  await maker`select gold.set_endpoint(${publicId}, 2, 'https://second.example/', '{order.executed,funding.completed}')`;
  await maker`select gold.rotate_webhook_secret(${publicId}, ${
    randomBytes(60)
  }, 'none', 3600, endpoint => 2)`;
  await maker`select gold.remove_endpoint(${publicId}, 3)`;
  for (const action of ["add", "rotate"]) {
    const key = await newKey();
    if (action === "add") {
      await maker`select gold.add_token_key(${key.thumbprint}, ${key.jwk}::text::jsonb, ${
        randomBytes(60)
      }, 'none', now())`;
    } else {
      await maker`select gold.rotate_token_key(${key.thumbprint}, ${key.jwk}::text::jsonb, ${
        randomBytes(60)
      }, 'none', 10, 600)`;
    }
  }
  await maker`select gold.limit_partner(${publicId}, '{"open_quotes": 100, "open_grams": 50000000, "daily_records": 1000,
    "net_grams": 100000000, "daily_withdrawals": 20, "daily_withdrawn": 100000000}')`;
  await maker`select gold.ask_iban(${publicId}, 'SA4420000001234567891234')`;
  await maker`select gold.add_bar('BAR-1', 'Refiner', 'Riyadh', 100000000, 9999)`;
  await maker`select gold.add_bar('BAR-2', 'Refiner', 'Riyadh', 50000000, 9999)`;
  await checker`select gold.remove_bar('BAR-2')`;
  await admin`select gold.set_partner_defaults(40, 150)`;
}

type Signed = Pick<AuditedBooks, "operatorKeys" | "endedKey" | "pending">;

/**
 * From here on, the books need two people: an approved, a rejected and a pending proposal, and what one may
 * do.
 */
async function propose({ sql }: TestBooks, maker: Sql, checker: Sql, publicId: string): Promise<Signed> {
  await sql`select gold.require_two_people()`;
  const { thumbprint, jwk } = await newKey();
  const content = { client_id: publicId, thumbprint, kid: "third", jwk: JSON.parse(jwk) };
  const price = {
    source: "fixed",
    mid: "3200000",
    spread_basis_points: 60,
    stale_after_seconds: 10,
    url: null,
  };
  const proposals = [];
  for (
    const [kind, given] of [["signing_key.add", content], ["price.set", price], ["market.open", {}]] as const
  ) {
    const [row] = await maker`
      select * from gold.propose(${kind}, ${maker.json(given)}::jsonb, ${randomBytes(60)}, 'none')`;
    proposals.push(row!);
  }
  const [approved, rejected] = proposals;
  await checker`select gold.approve_proposal(${approved!.id}::uuid, ${approved!.sha256})`;
  await checker`select gold.reject_proposal(${rejected!.id}::uuid)`;
  const signed = await sign(sql, maker, checker, publicId);
  await maker`select gold.limit_partner(${publicId}, '{"open_quotes": 99}')`;
  await maker`select gold.set_partner(${publicId}, null, null, null, 1999, null, null)`;
  await maker`select gold.set_exposure(99999999)`;
  await maker`select gold.set_band(100, 400)`;
  await maker`select gold.suspend_partner(${publicId})`;
  return signed;
}

/** From here on, proposals and approvals are signed. */
async function sign(admin: Sql, maker: Sql, checker: Sql, publicId: string): Promise<Signed> {
  const [one, other] = [await newSignatory(maker), await newSignatory(checker)];
  await registerRootKeys(admin, one, other);
  const endedKey = await newSoftwareKey("ecdsa-sha2-nistp256");
  const added = await proposeSigned(one, "operator_key.add", {
    login: one.login,
    public_key: endedKey.publicKey.text,
  });
  await approveSigned(other, added);
  const pending = await proposeSigned(other, "market.open", {});
  const money = { client_id: publicId, amount: "700", bank_reference: "BANK-3" };
  await approveSigned(other, await proposeSigned(one, "deposit.record", money));
  await approveSigned(other, await proposeSigned(one, "payment.submit", await paymentOf(maker, checker)));
  await maker`select gold.end_operator_key(${endedKey.publicKey.fingerprint})`;
  return { operatorKeys: await operatorKeysOf(one, other), endedKey, pending };
}

/** A prepared payment of one of the withdrawals that still wait. */
async function paymentOf(maker: Sql, checker: Sql): Promise<object> {
  const [waiting] = await checker`
    select id, public_id, amount::text, iban from gold.withdrawal_overview where status = 'pending_approval' order by id limit 1`;
  const { id, public_id, amount, iban } = waiting!;
  await checker`select gold.approve_withdrawal(${id}::uuid)`;
  const [row] = await maker`select batch, prepared_at, sha256 from gold.prepare_payment(array[${id}::uuid])`;
  return {
    batch: row!.batch,
    prepared_at: row!.prepared_at.toISOString(),
    document_sha256: row!.sha256,
    payments: [{ withdrawal: id, client_id: public_id, amount, iban }],
  };
}

async function trade({ sql }: TestBooks, maker: Sql, client: number, signer: TestKey): Promise<void> {
  const admission = await admissionOf(sql, client);
  await sql`select gold.book_funding(false, ${client}, ${admission}::text::bigint, 'funding-1', '\\x0a', 1000000000, 100000000000000, ${newId()}::uuid, ${newId()}::uuid)`;
  // A quote of an hour is still open when the audit has read everything.
  await sql`update gold.price set quote_ttl_seconds = 3600`;
  await maker`select gold.set_exposure(100000000)`;
  for (const [index, side] of ["buy", "sell", "buy"].entries()) {
    // The last quote gets a simulated price.
    const simulated = index < 2 ? null : '{"prices":{"percent":5,"until":"2999-01-01T00:00:00Z"}}';
    await sql`update gold.account set simulations = ${simulated}::text::jsonb where client_id = ${client}`;
    const quote = newId();
    const quoted = await sql`
      select outcome, status, body from gold.book_quotes(true, false, array[${client}::int], array[${admission}::text::bigint],
        array[${`quote-${index}`}], array['\\x0b'::bytea], array[${side}::gold.side], array[${
      1234 - index
    }::bigint], array[null::bigint],
        array[1::bigint], array[1000000000::bigint], array[${quote}::uuid], array[${newId()}::uuid],
        array[${`Q-${index}`}], array[null::text])`;
    if (quoted[0]!.status !== 201) throw new Error(`the quote failed: ${quoted[0]!.outcome}`);
    // The last quote stays open. The order of an unknown quote is a refusal that binds its key.
    await order(sql, client, admission, index === 2 ? newId() : quote, `order-${index}`, signer);
  }
}

async function order(
  sql: Sql,
  client: number,
  admission: string,
  quote: string,
  key: string,
  signer: TestKey,
): Promise<void> {
  const body = `{"quote_id":"qt_${quote}","account_label":"Desk"}`;
  const { fingerprint, nonce, signedRequest, thumbprint } = await signedWrite(
    sql,
    signer,
    "/v1/orders",
    body,
  );
  await sql`
    select gold.book_orders(true, false, array[${client}::int], array[${admission}::text::bigint], array[${nonce}::uuid],
      array[${key}], array[${fingerprint}::text::bytea], array[${quote}::uuid], array[${newId()}::uuid],
      array[null::text], array['Desk'], array[${signedRequest}::text::bytea], array[${thumbprint}::text::bytea])`;
}

async function moveMoney(
  { sql }: TestBooks,
  maker: Sql,
  checker: Sql,
  client: number,
  publicId: string,
  signer: TestKey,
): Promise<void> {
  const [kept, reversed] = await Promise.all(["BANK-1", "BANK-2"].map(async (reference) => {
    const [row] = await maker`select gold.record_deposit(${publicId}, 500000, ${reference}) as id`;
    return row!.id as string;
  }));
  for (const id of [kept!, reversed!]) await checker`select gold.approve_deposit(${id}::uuid)`;
  await checker`select gold.reverse_deposit(${reversed!}::uuid)`;
  const admission = await admissionOf(sql, client);
  const withdrawals = [newId(), newId(), newId(), newId()];
  for (const [index, id] of withdrawals.entries()) {
    const reference = `Rent (${index})`;
    const body = JSON.stringify({ amount_sar: 300, reference, account_label: "Desk" });
    const write = await signedWrite(sql, signer, "/v1/withdrawals", body);
    await sql`
      select gold.book_withdrawal(false, ${client}, ${admission}::text::bigint, ${write.nonce}::uuid, ${`withdrawal-${index}`},
        ${write.fingerprint}::text::bytea, 30000, 100000000000000, ${reference}, ${id}::uuid, ${newId()}::uuid,
        'Desk', ${write.signedRequest}::text::bytea, ${write.thumbprint}::text::bytea)`;
  }
  const [paid, , , cancelled] = withdrawals as [string, string, string, string];
  const cancel = await signedWrite(sql, signer, `/v1/withdrawals/wd_${cancelled}/cancel`, "{}");
  await sql`
    select gold.cancel_withdrawal(false, ${client}, ${admission}::text::bigint, ${cancel.nonce}::uuid, 'cancel-3',
      ${cancel.fingerprint}::text::bytea, ${cancelled}::uuid, ${newId()}::uuid, ${cancel.signedRequest}::text::bytea,
      ${cancel.thumbprint}::text::bytea)`;
  await maker`select gold.approve_withdrawal(${paid}::uuid)`;
  await checker`
    select gold.submit_payment(p.batch, ${`{${paid}}`}::text::uuid[], p.prepared_at, p.sha256)
    from gold.prepare_payment(${`{${paid}}`}::text::uuid[]) p`;
  await checker`select gold.pay_withdrawal(${paid}::uuid)`;
}

/** A request for a change that was taken up, one that was declined, and one that waits. */
async function requestChanges(
  { sql }: TestBooks,
  maker: Sql,
  client: number,
  publicId: string,
  signer: TestKey,
): Promise<void> {
  const admission = await admissionOf(sql, client);
  const ids = [newId(), newId(), newId()];
  for (const [index, id] of ids.entries()) {
    const content = `{"ip_range":"10.0.${index}.0/24"}`;
    const write = await signedWrite(sql, signer, "/v1/account/changes", content);
    await sql`
      select gold.request_change(false, ${client}, ${admission}::text::bigint, ${write.nonce}::uuid,
        ${`change-${index}`},
        ${write.fingerprint}::text::bytea, ${id}::uuid, 'ip_range', ${content}, 3, ${newId()}::uuid,
        ${write.signedRequest}::text::bytea, ${write.thumbprint}::text::bytea, ${`{"range":"10.0.${index}.0/24"}`})`;
  }
  await maker`
    select gold.take_change_alone(${ids[0]!}::uuid, jsonb_build_object('client_id', p.public_id,
      'ips', p.ips || '10.0.0.0/24'::text, 'request', ${`chg_${ids[0]!}`}::text), null)
    from gold.partner_overview p where p.public_id = ${publicId}`;
  await maker`select gold.decline_change(${ids[1]!}::uuid, 'Not announced')`;
}

/** Two delivered events, a webhook test whose redelivery waits, and the notices of expiring credentials. */
async function deliver(sql: Sql, client: number): Promise<void> {
  const admission = await admissionOf(sql, client);
  await sql`select gold.seal_chain(${client})`;
  await sql`select gold.book_webhook_test(false, ${client}, ${admission}::text::bigint, 'test-1', '\\x0e', ${newId()}::uuid, ${newId()}::uuid)`;
  for (const type of ["withdrawal.paid", "withdrawal.cancelled"]) {
    await sql`
      select gold.book_redelivery(false, ${client}, ${admission}::text::bigint, ${`again-${type}`}, '\\x0f', e.id, ${newId()}::uuid)
      from gold.event e where e.client_id = ${client} and e.type = ${type}`;
  }
  await sql`insert into gold.delivery_worker values (${randomUUID()}::uuid, clock_timestamp())`;
  await sql`insert into gold.endpoint (bucket, client_id, passed, worker) values (${
    client % 64
  }, ${client}, 2, ${randomUUID()}::uuid)`;
  await sql`
    insert into gold.attempt select bucket, client_id, sequence, clock_timestamp(), 12, 200, null, null from gold.event
    where client_id = ${client} and sequence <= 2`;
  await sql`select gold.post_expiry_notices(100)`;
}

/** All events that the partner's second endpoint takes are delivered to it. */
async function deliverFurther(sql: Sql, client: number): Promise<void> {
  await sql`
    with further as (
      insert into gold.endpoint (bucket, client_id, passed)
      select r.id % 64, r.id, a.event_sequence from gold.receiver r join gold.account a on a.client_id = r.partner_id
      where r.partner_id = ${client} and r.number = 2 returning client_id
    )
    insert into gold.attempt
    select r.id % 64, r.id, e.sequence, greatest(e.created_at, clock_timestamp()), 12, 200, null, null
    from further f join gold.receiver r on r.id = f.client_id join gold.event e on e.client_id = r.partner_id
    where e.sequence > r.typed_after and gold.takes(r.types, e.type)`;
}

async function admissionOf(sql: Sql, client: number): Promise<string> {
  const [row] =
    await sql`select admission_version::text as version from gold.account where client_id = ${client}`;
  return row!.version;
}

function newId(): string {
  const [random, time] = [randomUUID(), Date.now().toString(16).padStart(12, "0")];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
