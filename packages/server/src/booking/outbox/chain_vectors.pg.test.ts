import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { TransactionSql } from "postgres";
import { suiteBooks } from "../../../testing/books.ts";
import { withoutTriggers } from "../../../testing/rows.ts";

interface Vector {
  readonly name: string;
  readonly version: number;
  readonly sequence: number;
  readonly members: string;
  readonly answer?: {
    readonly key: string;
    readonly fingerprint: string;
    readonly status: number;
    readonly request_id: string;
    readonly body_utf8: string;
    readonly thumbprint?: string;
  };
  readonly day?: {
    readonly quotes_sha256: string;
    readonly refusals_sha256: string;
    readonly epoch: { readonly began_at: string };
  };
  readonly webhook_endpoint?: {
    readonly url: string;
    readonly endpoint: number;
    readonly removed_at: string | null;
    readonly changed_by: string;
    readonly approved_by: string | null;
  };
  readonly stored_request_utf8?: string;
  readonly answer_sha256?: string;
  readonly chain_key?: string;
  readonly line: string;
  readonly chain_head: string;
}

const { cases } = JSON.parse(
  readFileSync(new URL("../../../../../vectors/chain.json", import.meta.url), "utf8"),
) as { readonly cases: readonly Vector[] };
const IBAN = "SA0380000000608010167519";
const REFERENCE = "R|1";
const LOGINS = ["gold_api", "alice"];

describe("the vectors of the hash chain", () => {
  const books = suiteBooks();

  it("contain the answers that answer_of() computes", async () => {
    for (const { name, answer, stored_request_utf8, answer_sha256 } of cases) {
      if (!answer) continue;
      const { key, fingerprint, status, request_id, body_utf8, thumbprint = null } = answer;
      const request = stored_request_utf8 === undefined
        ? null
        : Buffer.from(stored_request_utf8).toString("hex");
      const [row] = await books.sql`
        select encode(gold.answer_of(${key}, decode(${fingerprint}, 'hex'), ${status}::int, ${request_id}::uuid, ${body_utf8},
          decode(${request}::text, 'hex'), decode(${thumbprint}::text, 'hex')), 'hex') as digest`;
      assertEquals(row!.digest, answer_sha256, name);
    }
  });

  it("contain the lines and heads that the database seals for these records", async () => {
    const client = await books.createClient();
    assertEquals(client, 1, "the vectors are the chain of client 1");
    await withoutTriggers(books.sql, async (sql) => {
      await sql`update gold.partner set chain_key = decode(${cases[0]!
        .chain_key!}, 'hex') where id = ${client}`;
      for (const vector of cases) await plant(sql, vector);
      const lines = await sql`select line from gold.chain_lines(${client}, 0, null) order by sequence`;
      assertEquals(lines.map(({ line }) => line), cases.map(({ line }) => line));
      await sql`select gold.seal_chain(${client})`;
      const links = await sql`
        select encode(hash, 'hex') as head from gold.chain_link where client_id = ${client} order by sequence`;
      assertEquals(links.map(({ head }) => head), cases.map(({ chain_head }) => chain_head));
    });
  });
});

/** Writes the rows whose line the vector shows. */
async function plant(
  sql: TransactionSql,
  { version, members, answer_sha256, day, webhook_endpoint }: Vector,
): Promise<void> {
  const fields = members.split("|");
  const [client, sequence, type, subject, at] = fields.splice(0, 5);
  const owner = [client!, sequence!, subject!] as const;
  const instant = sql`to_timestamp(${at!}::text::numeric / 1000)`;
  const digest = sql`decode(${answer_sha256 ?? null}::text, 'hex')`;
  const TYPES = ["order.executed", "funding.completed", "withdrawal.created", "withdrawal.approved"];
  const event = day ? "day.closed" : webhook_endpoint ? "webhook_endpoint.changed" : TYPES[Number(type) - 1]!;
  await sql`
    insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type, line)
    values (1, ${owner[0]}, ${owner[1]}, gen_random_uuid(), ${owner[2]}, ${instant}, ${event}, ${version})`;
  if (day) {
    const { quotes_sha256, refusals_sha256, epoch } = day;
    await sql`insert into gold.epoch values (2, 1, 3, ${epoch.began_at})`;
    await sql`
      insert into gold.closed_day values (1, ${owner[0]}, '2026-02-01', ${
      owner[1]
    }, 1, 5, 0, 0, 0, 44640, 4000, 16000, 2, 2, 1, 0,
        decode(${quotes_sha256}, 'hex'), decode(${refusals_sha256}, 'hex'), 2)`;
    return;
  }
  if (webhook_endpoint) {
    const { url, endpoint, removed_at, changed_by, approved_by } = webhook_endpoint;
    const kid = endpoint === 1 ? null : `${endpoint}`;
    await sql`
      insert into gold.partner_change (bucket, client_id, sequence, kid, valid_until, webhook_url, login, approved_by)
      values (1, ${owner[0]}, ${owner[1]}, ${kid}, ${removed_at}, ${url}, ${changed_by}, ${approved_by})`;
    return;
  }
  const ends = event === "order.executed" ? 4 : event.startsWith("withdrawal.") ? 2 : 0;
  while (fields.length > ends) {
    const [leg, debit, credit, asset, ...amounts] = fields.splice(0, 8);
    await sql`
      insert into gold.transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after, sar_held_after,
        gold_after, posted_at)
      values (1, ${owner[0]}, ${leg!}, ${owner[1]}, (enum_range(null::gold.book))[${debit!}::int],
        (enum_range(null::gold.book))[${credit!}::int], (enum_range(null::gold.asset))[${asset!}::int],
        ${amounts[0]!}, ${amounts[1]!}, ${amounts[2]!}, ${amounts[3]!}, ${instant})`;
  }
  if (event === "order.executed") {
    const [side, grams, price, total] = fields;
    await sql`
      insert into gold.orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after,
        sar_held_after, gold_after, answer)
      values (1, ${owner[0]}, (enum_range(null::gold.side))[${side!}::int], ${owner[2]}, ${
      owner[1]
    }, ${grams!}, ${price!}, ${total!},
        ${instant}, 0, 0, 0, ${digest})`;
  } else if (event === "funding.completed") {
    await sql`
      insert into gold.funding (bucket, client_id, id, sequence, amount, created_at, answer)
      values (1, ${owner[0]}, ${owner[2]}, ${owner[1]}, 1, ${instant}, ${digest})`;
  } else {
    const [status] = fields;
    if (event === "withdrawal.created") {
      await sql`
        insert into gold.withdrawal (bucket, client_id, id, sequence, amount, created_at, iban, reference, answer)
        values (1, ${owner[0]}, ${owner[2]}, ${owner[1]}, 1, ${instant}, ${IBAN}, ${REFERENCE}, ${digest})`;
    }
    await sql`
      insert into gold.withdrawal_step (bucket, client_id, withdrawal_id, sequence, status, login, previous, previous_login, at)
      values (1, ${owner[0]}, ${owner[2]}, ${
      owner[1]
    }, (enum_range(null::gold.withdrawal_status))[${status!}::int],
        ${LOGINS[Number(status) - 1]!}, ${status === "1" ? null : "pending_approval"}, ${
      status === "1" ? null : LOGINS[0]!
    }, ${instant})`;
  }
}
