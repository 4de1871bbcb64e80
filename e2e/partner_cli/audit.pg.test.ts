import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { TransactionSql } from "postgres";
import { Stack } from "../contract/stack_fixture.ts";
import { type Found, runCli, writeCredentials } from "./cli_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

interface Violation extends Found {
  readonly record?: string;
  readonly expected?: string;
  readonly found?: string;
}

describe("gold-partner audit", () => {
  let stack: Stack;
  const folder = temporaryFolder("gold-audit");
  let requests: string;
  let env: { GOLD_CREDENTIALS: string };

  before(async () => {
    requests = join(folder, "requests.jsonl");
    stack = await Stack.open();
    env = { GOLD_CREDENTIALS: await writeCredentials(folder, stack.partner.credentials) };
    for (
      const type of [
        ...["order.executed", "withdrawal.paid", "withdrawal.returned", "withdrawal.rejected"],
        "withdrawal.cancelled",
        ...["funding.reversed", "webhook.test", "order.executed"],
      ]
    ) {
      const { exit, err } = await runCli(["trigger", type, "--record", requests], { env });
      assertEquals([exit, err], [0, ""], type);
    }
  });
  after(() => stack?.close());

  /** Runs the audit, and returns its exit code and its findings that are not ok. */
  async function audit(...options: string[]): Promise<{ exit: number; all: Violation[]; bad: Violation[] }> {
    const { exit, out, err } = await runCli(["audit", "--json", ...options], { env });
    assertEquals(err, "");
    const all = (JSON.parse(out) as { items: Violation[] }).items;
    return { exit, all, bad: all.filter(({ result }) => result === "failed") };
  }

  const violations = (bad: readonly Violation[]) => bad.map(({ check, record }) => [check, record]);
  const lines = async () => (await readFile(requests, "utf8")).trimEnd().split("\n");

  async function withFile(name: string, content: readonly string[]): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, content.map((line) => `${line}\n`).join(""));
    return file;
  }

  it("reports no fault in unedited books, with and without the kept exchanges", async () => {
    const { exit, all, bad } = await audit("--requests", requests);
    assertEquals([exit, bad], [0, []]);
    assertEquals(all.filter(({ result }) => result !== "ok").map(({ check }) => check), ["kept_head"]);
    assertMatch(all.find(({ check }) => check === "answer")!.detail, /: 7 compared\. \d+ are only linked/);
    const without = await audit();
    assertEquals([without.exit, without.bad], [0, []]);
    assertEquals(without.all.filter(({ result }) => result === "skipped").map(({ check }) => check), [
      ...["answer", "reply", "record_foreign", "record_missing", "kept_head"],
    ]);
    const { items } = JSON.parse((await runCli(["events", "--limit", "500", "--json"], { env })).out);
    for (const from of items.map(({ sequence }: { sequence: number }) => `${sequence}`)) {
      const part = await audit("--from", from, "--requests", requests);
      assertEquals([part.exit, part.bad], [0, []], `from ${from}`);
    }
  });

  it("reports an order without a kept request, and a kept order that the books do not have", async () => {
    const [order, ...others] = await lines();
    const id = /"order_id\\":\\"(ord_[^\\]+)/.exec(order!)![1]!;
    const foreign = await audit("--requests", await withFile("foreign.jsonl", others));
    assertEquals([foreign.exit, foreign.bad.map(({ check, found }) => [check, found])], [1, [
      ["record_foreign", `none for ${id}`],
    ]]);
    const other = order!.replaceAll(id, "ord_019c18c0-0000-7000-8000-000000000009");
    const missing = await audit("--requests", await withFile("missing.jsonl", [order!, ...others, other]));
    assertEquals([missing.exit, violations(missing.bad)], [1, [
      ["record_missing", "ord_019c18c0-0000-7000-8000-000000000009"],
    ]]);
  });

  it("accepts a kept request without a reply as the request of its order, and compares no answer for it", async () => {
    const [order, ...others] = await lines();
    const exchange = JSON.parse(order!);
    const body = JSON.stringify({ ...JSON.parse(exchange.body), reference: "INVOICE-7" });
    for (
      const unknown of [
        { status: null, request_id: null, reply: null },
        { status: null, request_id: null, reply: null, body },
        // A proxy answered.
        { status: 200, reply: "<html></html>" },
        { status: 502, reply: "<html></html>" },
      ]
    ) {
      const { exit, bad, all } = await audit(
        "--requests",
        await withFile("lost.jsonl", [JSON.stringify({ ...exchange, ...unknown }), ...others]),
      );
      assertEquals([exit, bad], [0, []], `${unknown.reply}`);
      assertMatch(all.find(({ check }) => check === "answer")!.detail, /: 6 compared/);
    }
  });

  it("refuses a --from after the newest event", async () => {
    const { exit, err } = await runCli(["audit", "--from", "500"], { env });
    assertEquals(exit, 2);
    assertMatch(err, /you have no event 499/);
  });

  it("refuses a file in which a line is not an exchange, and names the line", async () => {
    for (const content of ["{", "{}", '{"idempotency_key":1}']) {
      const file = await withFile("broken.jsonl", [...await lines(), content]);
      const { exit, err } = await runCli(["audit", "--requests", file], { env });
      assertEquals(exit, 2);
      assertMatch(err, /broken\.jsonl, line 8 cannot be read/);
    }
  });

  it("adds its newest chain_head to the file of --heads, and compares the file with the chain", async () => {
    const heads = join(folder, "heads.json");
    const read = async () => JSON.parse(await readFile(heads, "utf8")).items;
    const first = await audit("--heads", heads);
    assertEquals([first.exit, first.all.find(({ check }) => check === "kept_head")!.result], [0, "skipped"]);
    const { items } = JSON.parse((await runCli(["events", "--limit", "500", "--json"], { env })).out);
    const headOf = (sequence: number) => ({
      client_id: stack.partner.credentials.client_id,
      sequence: `${sequence}`,
      head: items.find((event: { sequence: number }) => event.sequence === sequence).data.chain_head,
    });
    const newest = Math.max(...items.map(({ sequence }: { sequence: number }) => sequence));
    assertEquals(await read(), [headOf(newest)]);
    const second = await audit("--heads", heads);
    assertMatch(second.all.find(({ check }) => check === "kept_head")!.detail, /: 1 compared\.$/);
    assertEquals(await read(), [headOf(newest)], "the file has the newest head already");

    await writeFile(heads, JSON.stringify({ items: [headOf(newest - 2)] }));
    for (const from of [newest - 1, newest - 2]) {
      assertEquals((await audit("--heads", heads, "--from", `${from}`)).exit, 0);
      assertEquals(await read(), [headOf(newest - 2), headOf(newest)], `from ${from}`);
      await writeFile(heads, JSON.stringify({ items: [headOf(newest - 2)] }));
    }
    const late = await runCli(["audit", "--heads", heads, "--from", `${newest}`], { env });
    assertEquals([late.exit, /--from must be at most (\d+)/.exec(late.err)?.[1]], [2, `${newest - 1}`]);

    const { exit } = await audit("--heads", heads, "--requests", await withFile("none.jsonl", []));
    assertEquals([exit, await read()], [1, [headOf(newest - 2)]], "an audit with a violation adds nothing");
  });

  it("refuses a file of --heads that has another format or another partner's heads, or cannot be written", async () => {
    const head = { client_id: "sbx_other", sequence: "1", head: "00".repeat(32) };
    for (
      const [name, content, words] of [
        ["empty.json", "{}", /another format/],
        ["wrong.json", JSON.stringify({ items: [{ ...head, sequence: 1.5 }] }), /another format/],
        ["other.json", JSON.stringify({ items: [head] }), /heads of sbx_other/],
      ] as const
    ) {
      const file = await withFile(name, [content]);
      const { exit, err } = await runCli(["audit", "--heads", file], { env });
      assertEquals(exit, 2);
      assertMatch(err, words);
      assertEquals(await readFile(file, "utf8"), `${content}\n`);
    }
    for (const file of [folder, join(folder, "nowhere", "heads.json")]) {
      const { exit, err } = await runCli(["audit", "--heads", file], { env });
      assertEquals(exit, 2);
      assertMatch(err, /cannot be read and replaced/);
    }
  });

  it("reports an edited answer, and an edited order although chain, balances and account were changed to match", async () => {
    const heads = join(folder, "heads_before.json");
    assertEquals((await audit("--heads", heads)).exit, 0);
    const { bucket, client, sequence } = await stack.sql.begin(async (sql) => {
      const [event] = await sql`
        select bucket, client_id as client, sequence, subject from gold.event where type = 'order.executed' order by sequence desc limit 1`;
      // A superuser can drop the constraint that ties the total to the price.
      await sql`alter table gold.orders drop constraint orders_rounding`;
      await sql`set local session_replication_role = replica`;
      const { bucket, client, sequence } = event!;
      const order = sql`bucket = ${bucket} and client_id = ${client} and sequence = ${sequence}`;
      await sql`update gold.orders set total = total + 1, sar_available_after = sar_available_after - 1 where ${order}`;
      await sql`update gold.transfer set sar_available_after = sar_available_after - 1, amount = amount + (leg = 1)::int where ${order}`;
      await sql`update gold.account set sar_available = sar_available - 1 where bucket = ${bucket} and client_id = ${client}`;
      await reseal(sql, bucket, client);
      return { bucket, client, sequence: `${sequence}` } as {
        bucket: number;
        client: number;
        sequence: string;
      };
    });
    assertEquals((await audit()).bad, [], "the books agree with themselves");
    assertEquals((await audit("--heads", heads)).bad.map(({ check }) => check), ["kept_head"]);
    const { exit, bad } = await audit("--requests", requests);
    assertEquals([exit, violations(bad)], [1, [["reply", sequence]]]);
    assertMatch(bad[0]!.expected!, /^total_sar \d/);
    assert(bad[0]!.expected !== bad[0]!.found);

    await stack.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update gold.orders set answer = sha256(answer) where client_id = ${client} and sequence = ${sequence}`;
      await reseal(sql, bucket, client);
    });
    assertEquals(violations((await audit("--requests", requests)).bad), [["answer", sequence], [
      "reply",
      sequence,
    ]]);
  });

  it("reports a broken link, a wrong balance and a wrong statement without the kept exchanges", async () => {
    const [event] = await stack
      .sql`select client_id as client, max(sequence) as sequence from gold.event where type = 'order.executed' group by 1`;
    const { client, sequence } = event!;
    await stack.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update gold.transfer set amount = amount + 1 where client_id = ${client} and sequence = ${sequence} and leg = 1`;
      await sql`update gold.account set sar_held = sar_held + 1 where client_id = ${client}`;
    });
    const { exit, bad } = await audit();
    assertEquals(exit, 1);
    const found = new Set(bad.map(({ check }) => check));
    for (const rule of ["link", "line", "statement", "balances"]) assert(found.has(rule), rule);
  });
});

/** Deletes the client's chain and seals it again from the current rows. */
async function reseal(sql: TransactionSql, bucket: number, client: number): Promise<void> {
  await sql`delete from gold.chain_link where bucket = ${bucket} and client_id = ${client}`;
  await sql`delete from gold.chain_tail where bucket = ${bucket} and client_id = ${client}`;
  await sql`select gold.seal_chain(${client})`;
}
