import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { askWithdrawal, setPayoutAccount } from "./withdrawal_fixture.ts";

describe("gold withdrawal, over a database that was restored to before a submission", () => {
  let operator: TestOperator;
  let restored: string;
  let paid: string;
  let pending: string;
  before(async () => {
    operator = await testOperator();
    await setPayoutAccount(operator);
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":100}' });
    [paid, pending] = [await askWithdrawal(operator, 100n), await askWithdrawal(operator, 200n)];
    await operator.done("withdrawal", "approve", paid);
    restored = await copyDatabase();
    assertEquals((await submit(operator.colleague.url, "first.xml")).exit, 0);
  });
  after(async () => {
    await onServer(async (sql) => void await sql.unsafe(`drop database "${nameOf(restored)}" with (force)`));
    await operator.stop();
  });

  const nameOf = (url: string) => new URL(url).pathname.slice(1);
  const onServer = async (use: (sql: postgres.Sql) => Promise<void>) => {
    const url = new URL(operator.service.books.url);
    url.pathname = "/postgres";
    const sql = postgres(url.href, { max: 1, onnotice: () => {} });
    await use(sql).finally(() => sql.end());
  };
  /** Copies the database as it is now. Returns the second person's URL of the copy. */
  async function copyDatabase(): Promise<string> {
    const original = nameOf(operator.service.books.url);
    await onServer(async (sql) => {
      // CREATE DATABASE fails while another session uses the original.
      await sql.unsafe(`alter database "${original}" allow_connections false`);
      await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${original}`;
      await sql.unsafe(`create database "${original}_restored" template "${original}"`);
      await sql.unsafe(`alter database "${original}" allow_connections true`);
    });
    const url = new URL(operator.colleague.url);
    url.pathname = `/${original}_restored`;
    return url.href;
  }
  const gold = (url: string, argv: readonly string[], heads?: string) =>
    runGold([...argv, "--json", "--yes"], {
      env: {
        ...operator.colleague.env,
        DATABASE_URL: url,
        OPERATOR_KEYS: "off",
        ...(heads === undefined ? {} : { HEADS_FILE: heads }),
      },
    });
  const submit = (url: string, out: string, heads: string | undefined = operator.path("heads.json")) =>
    gold(url, ["withdrawal", "submit", "--out", operator.path(out)], heads);
  const statusOf = async (id: string) =>
    itemsOf((await gold(restored, ["withdrawal", "list"])).json)
      .find(({ withdrawal_id }) => withdrawal_id === id)!.status;

  it("refuses to submit the payment again and to approve another one, until the loss was accepted", async () => {
    assertEquals(await statusOf(paid), "approved");
    const again = await submit(restored, "again.xml");
    refused(again, 4, "The database lacks records that HEADS_FILE has: audit ");
    assertEquals(again.problem.code, "records_missing");
    refused(
      await gold(restored, ["withdrawal", "approve", pending], operator.path("heads.json")),
      4,
      "may already have executed",
    );
    assertEquals([await statusOf(paid), await statusOf(pending)], ["approved", "pending_approval"]);

    const accepted = await gold(restored, ["recovery", "accept", "--heads", operator.path("heads.json")]);
    assertEquals(accepted.exit, 0, accepted.err);
    assertEquals((await submit(restored, "again.xml")).exit, 0);
  });

  it("requires the file or the explicit choice off in production", async () => {
    const { sql } = operator.service.books;
    await sql`update gold.deployment set environment = 'production'`;
    try {
      const approve = ["withdrawal", "approve", pending];
      refused(await gold(operator.colleague.url, approve), 2, 'or off; got ""');
      refused(await gold(operator.colleague.url, approve, "heads.json"), 2, 'got "heads.json"');
      await operator.write("other.json", "{}");
      refused(await gold(operator.colleague.url, approve, operator.path("other.json")), 2, "another format");
      assertEquals((await gold(operator.colleague.url, approve, "off")).exit, 0);
    } finally {
      await sql`update gold.deployment set environment = 'sandbox'`;
    }
  });
});
