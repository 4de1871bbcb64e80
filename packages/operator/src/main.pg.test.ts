import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";
import { until } from "../../../tools/testing/until.ts";
import { type TestOperator, testOperator } from "./commands/fixture.ts";
import { askWithdrawal } from "./commands/money/withdrawal_fixture.ts";
import { runGold } from "./gold_fixture.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

describe("the program gold", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  it("reports outcome_unknown if the server ends the connection during a transaction", async () => {
    const { sql } = operator.service.books;
    const held = await sql.reserve();
    await held`begin`;
    await held`select gold.lock_price()`;
    const child = spawn(process.execPath, [...runtimeArguments(MAIN), "price", "set", "--mid", "500"], {
      env: { ...process.env, DATABASE_URL: operator.url },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (part) => said += part);
    const ended = once(child, "close");
    await until(async () => {
      const [row] = await sql`
        select pg_terminate_backend(pid) as ended from pg_stat_activity
        where application_name = 'gold' and datname = current_database() and wait_event_type = 'Lock'`;
      return row !== undefined;
    });
    const [code] = await ended;
    await held`rollback`;
    held.release();
    assertEquals([code, JSON.parse(said).code], [3, "outcome_unknown"]);
  });

  it("prints with inbox --watch what begins to wait", async () => {
    const child = spawn(process.execPath, [...runtimeArguments(MAIN), "inbox", "--watch", "--json"], {
      env: { ...process.env, DATABASE_URL: operator.url },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "close");
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (part) => printed += part);
    const lists = () =>
      printed.split("\n").slice(0, -1).map((line) => JSON.parse(line) as { items: { next: string }[] });
    await until(() => lists().length === 1);
    assertEquals(lists()[0], { items: [] });
    await operator.service.send("/sandbox/fund", { body: '{"amount_sar":100}' });
    const id = await askWithdrawal(operator, 5000n);
    await until(() => lists().length === 2);
    child.kill();
    await ended;
    assertEquals(lists()[1]!.items.map(({ next }) => next), [`gold withdrawal approve ${id}`]);
  });

  it("names the login if its password is wrong", async () => {
    const { login, url } = operator;
    const wrong = new URL(url);
    wrong.password = "guessed";
    const { exit, problem } = await runGold(["partner", "list"], { env: { DATABASE_URL: wrong.href } });
    assertEquals([exit, problem.code], [2, "login_refused"]);
    assertEquals(
      problem.detail,
      `The database refused the login: password authentication failed for user "${login}". Check the login and its password in the database URL.`,
    );
  });
});
