import { once } from "node:events";
import { copyFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { isAlive } from "../../../../tools/testing/is_alive.ts";
import {
  type Answer,
  sendOrder,
  startProcesses,
  stopProcesses,
  type TestProcesses,
} from "./processes_fixture.ts";
import { until } from "../../../../tools/testing/until.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { suiteService } from "../../testing/service.ts";
import { valueOf } from "../../testing/rows.ts";

const ORDERS = 60;

/** Returns the processes that have not ended after a minute. */
async function findLeft(pids: readonly number[]): Promise<number[]> {
  const untilMs = performance.now() + 60_000;
  while (pids.some(isAlive) && performance.now() < untilMs) await sleep(50);
  return pids.filter(isAlive);
}

describe("several processes of the service", () => {
  let processes: TestProcesses;
  after(() => stopProcesses(processes));
  const [folder, fixture] = [temporaryFolder("gold-test"), suiteService()];
  let keys = 0;
  before(async () => {
    await fixture.books.addBar(10_000_000_000n);
    const funded = await fixture.send("/sandbox/fund", { body: '{"amount_sar":1000000}' });
    assertEquals(funded.status, 201);
    processes = startProcesses(fixture, folder, { PROCESSES: "2", DRAIN_SECONDS: "1" });
    await processes.until("serving", 2);
  });

  const newQuote = async () => `qt_${await fixture.books.quote(fixture.partner.client, "buy", 100n)}`;
  const newKey = () => `processes-${keys++}`;
  const order = (number: number, quote: string, key: string) =>
    sendOrder(fixture, processes.socket(number), quote, key);
  /** Starts twenty orders, each over its own connection, and waits until all are connected. */
  const startOrders = async (numberOf: (index: number) => number) => {
    const quotes = await Promise.all(Array.from({ length: 20 }, newQuote));
    const answers: ReturnType<typeof sendOrder>[] = [];
    await Promise.all(quotes.map((quote, index) =>
      new Promise<void>((connected) => {
        answers.push(sendOrder(fixture, processes.socket(numberOf(index)), quote, newKey(), connected));
      })
    ));
    return answers;
  };
  const countOrders = () =>
    valueOf<number>(
      fixture.books
        .sql`select count(*)::int as orders from gold.orders where client_id = ${fixture.partner.client}`,
    );

  it("book each of one partner's concurrent orders once", async () => {
    const quotes = await Promise.all(Array.from({ length: ORDERS }, newQuote));
    const answers = await Promise.all(quotes.map((quote, index) => order(1 + index % 2, quote, newKey())));
    assertEquals(answers.map((answer) => answer?.status), quotes.map(() => 201));
    assertEquals([await countOrders(), await fixture.books.defects()], [ORDERS, []]);
  });

  it("return one result for an idempotency key that both receive at once", async () => {
    const [quote, key, before] = [await newQuote(), newKey(), await countOrders()];
    const answers = await Promise.all([1, 2, 1, 2, 1, 2].map((number) => order(number, quote, key)));
    assertEquals(answers.map((answer) => answer?.status).sort(), [200, 200, 200, 200, 200, 201]);
    assertEquals(new Set(answers.map((answer) => answer?.body)).size, 1);
    assertEquals(await countOrders(), before + 1);
  });

  it("share a partner's rate and burst", async () => {
    const { sql } = fixture.books;
    const partner = await fixture.addPartner();
    const { config, now } = fixture;
    const own = { config, partner, now, token: () => fixture.token(partner) };
    await own.token();
    await sql`update gold.partner set rate_per_second = 1, burst = 60 where id = ${partner.client}`;
    await sql`update gold.registry_version set version = version + 1`;
    const statusOf = async (number: number) =>
      (await sendOrder(own, processes.socket(number), "qt_none", newKey()))?.status;
    await until(async () => await statusOf(1) === 429);
    // One request in half a second would not exceed this limit for a minute.
    const startMs = performance.now();
    while (await statusOf(2) !== 429) {
      assert(performance.now() - startMs < 30_000, "the second process grants a burst of its own");
      await sleep(500);
    }
  });

  it("lose no order when one process is killed and restarted while the other serves", async () => {
    const before = await countOrders();
    const killed = processes.pid(1);
    const quotes = await Promise.all(Array.from({ length: ORDERS }, newQuote));
    const pending = quotes.map(async (quote, index): Promise<Answer | undefined> => {
      await sleep(4 * index);
      const key = newKey();
      // If the connection breaks, send the order again with the same key to process 2, which keeps running.
      return await order(1 + index % 2, quote, key) ?? await order(2, quote, key);
    });
    await sleep(2 * ORDERS);
    process.kill(killed, "SIGKILL");
    const answers = await Promise.all(pending);
    assertEquals(answers.filter((answer) => ![200, 201].includes(answer?.status ?? 0)), []);
    assertEquals([await countOrders(), await fixture.books.defects()], [before + ORDERS, []]);

    const [ended] = await processes.until("process ended, another one follows", 1);
    assertEquals([ended!.process, ended!.pid, ended!.exit], [1, killed, "SIGKILL"]);
    await processes.until("serving", 3);
    assertNotEquals(processes.pid(1), killed);
    assertEquals((await order(1, await newQuote(), newKey()))?.status, 201);
  });

  it("answer all in-flight requests when a process is replaced after SIGTERM", async () => {
    const replaced = processes.pid(2);
    const pending = await startOrders(() => 2);
    process.kill(replaced, "SIGTERM");
    assertEquals((await Promise.all(pending)).map((answer) => answer?.status), pending.map(() => 201));
    const ends = await processes.until("process ended, another one follows", 2);
    assertEquals([ends[1]!.process, ends[1]!.exit], [2, "0"]);
    await processes.until("serving", 4);
  });

  it("exit together with 0 after SIGTERM, answer in-flight requests and are not restarted", async () => {
    const pids = [1, 2].map((number) => processes.pid(number));
    const late = await startOrders((index) => 1 + index % 2);
    assertEquals(await stopProcesses(processes), 0);
    assertEquals((await Promise.all(late)).map((answer) => answer?.status), late.map(() => 201));
    assertEquals([...pids.map(isAlive), processes.lines("serving").length], [false, false, 4]);
    assertEquals(await fixture.books.defects(), []);
  });

  it("exit by themselves when their supervisor is killed", async () => {
    processes = startProcesses(fixture, folder, { PROCESSES: "2" });
    await processes.until("serving", 2);
    const pids = [1, 2].map((number) => processes.pid(number));
    const ended = once(processes.supervisor, "exit");
    process.kill(processes.supervisor.pid!, "SIGKILL");
    await ended;
    assertEquals(await findLeft(pids), []);
  });

  it("exit together with 3 if one of them cannot start, as a single process would", async () => {
    const inTheWay = createServer().listen(processes.socket(2));
    await once(inTheWay, "listening");
    processes = startProcesses(fixture, folder, { PROCESSES: "2" });
    const ended = once(processes.supervisor, "exit");
    // Wait for the end of all processes, because the one that could start must not keep serving while the
    // other is restarted again and again.
    await Promise.race([ended, processes.until("process ended, another one follows", 1).catch(() => {})]);
    inTheWay.close();
    assertEquals(processes.lines("process ended, another one follows"), []);
    assertEquals(await ended, [3, null]);
  });

  it("are restarted until they can start again, while the others serve", async () => {
    const pepper = join(folder, "pepper");
    const bring = () => copyFile(fixture.config.pepperSource.slice("file:".length), pepper);
    await bring();
    processes = startProcesses(fixture, folder, { PROCESSES: "2", PEPPER_SOURCE: `file:${pepper}` });
    await processes.until("serving", 2);
    await rm(pepper);
    process.kill(processes.pid(1), "SIGKILL");
    const ends = await processes.until("process ended, another one follows", 2);
    assertEquals(ends.slice(0, 2).map(({ exit }) => exit), ["SIGKILL", "3"]);
    assertEquals((await order(2, await newQuote(), newKey()))?.status, 201);
    await bring();
    await processes.until("serving", 3);
    assertEquals((await order(1, await newQuote(), newKey()))?.status, 201);
  });

  it("exit even if one of them hangs, because that process is killed after a time limit", async () => {
    const hanging = processes.pid(1);
    process.kill(hanging, "SIGSTOP");
    process.kill(processes.supervisor.pid!, "SIGTERM");
    const left = await findLeft([hanging]);
    if (left.length > 0) process.kill(hanging, "SIGKILL");
    assertEquals([left, await stopProcesses(processes)], [[], 0]);
  });
});
