import { readFileSync } from "node:fs";
import process from "node:process";
import postgres from "postgres";
import { type Benchmark, type Goal, type Plan, rotate, type Round } from "./harness.ts";
import { functionTaker, peerTaker, serviceTaker, type Taker } from "./orders/contenders.ts";
import { startGenerator } from "./orders/generator_process.ts";
import { type House, openHouse, PARTNERS } from "./orders/house.ts";
import { QuoteRun } from "./orders/quote_run.ts";

const PEER_DATABASE = "peer";
const IN_FLIGHT = [1, 8, 32, 64];
/** A turn holds thousands of orders, so it is longer than that of a benchmark of one function. */
const TURN_FACTOR = 10;
const ROUND_SHARE = 0.5;

const ours = (inFlight: number, partners: number) =>
  `service, ${inFlight} in flight, ${partners.toLocaleString("en-US")} partner${partners === 1 ? "" : "s"}`;
const FUNCTION = "pgbench: the same function, 64 connections";
const EIGHT_STATEMENTS = "pgbench: eight statements, 64 connections";

// Deno's rates are reported and not judged.
const GOALS: readonly Goal[] = process.versions["deno"] ? [] : [
  { ours: ours(64, PARTNERS), peer: FUNCTION, atLeast: 0.6 },
  { ours: ours(64, PARTNERS), peer: EIGHT_STATEMENTS, atLeast: 1.3 },
];

/** Everybody who takes part, made ready one after another. */
async function openTakers(house: House, takers: Record<string, Taker>): Promise<() => void> {
  const generator = await startGenerator(house.settings);
  let runs = 0;
  const quotes = (partners: number) => new QuoteRun(house, runs++, partners);
  for (const partners of [1, PARTNERS]) {
    for (const inFlight of IN_FLIGHT) {
      takers[ours(inFlight, partners)] = serviceTaker(house, generator, quotes(partners), inFlight);
    }
  }
  const single = (connections: number, partners: number) =>
    functionTaker(house, quotes(partners), { script: "book_orders.sql", connections });
  takers[FUNCTION] = await single(64, PARTNERS);
  takers["pgbench: the same function, 8 connections"] = await single(8, PARTNERS);
  takers["pgbench: the same function, 1 connection"] = await single(1, PARTNERS);
  takers["pgbench: the same function, 64 connections, 1 partner"] = await single(64, 1);
  takers["pgbench: the same function, 64 orders a call, 2 connections"] = await functionTaker(
    house,
    quotes(PARTNERS),
    {
      script: "book_orders_batch.sql",
      connections: 2,
    },
  );
  for (const [name, taker] of Object.entries(await openPeers(house))) takers[name] = taker;
  return () => generator.stop();
}

/** The two that know nothing of this service, in a database of their own on the same Postgres. */
async function openPeers(house: House): Promise<Record<string, Taker>> {
  await house.sql.unsafe(`create database ${PEER_DATABASE}`);
  const databaseUrl = house.databaseUrl(PEER_DATABASE);
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(readFileSync(new URL("./peers/eight_statements_schema.sql", import.meta.url), "utf8"));
  const peer = (script: string, table: string) =>
    peerTaker(house, {
      script,
      connections: 64,
      databaseUrl,
      async count() {
        const [row] = await sql.unsafe(`select last_value::int as last from peer.${table}_id_seq`);
        return row!.last as number;
      },
    });
  const one = peer("one_row.sql", "one_row");
  return {
    [EIGHT_STATEMENTS]: peer("eight_statements.sql", "trade"),
    "pgbench: one row, 64 connections": { ...one, stop: () => (one.stop(), void sql.end()) },
  };
}

async function measure(takers: Readonly<Record<string, Taker>>, { rounds, turnMs }: Plan): Promise<Round[]> {
  const turns = Object.entries(takers).map(([name, taker]) =>
    [name, () => taker.takeTurn(turnMs * TURN_FACTOR)] as const
  );
  return await rotate(Object.fromEntries(turns), Math.ceil(rounds * ROUND_SHARE));
}

export default {
  about: "orders by the service, signed and over kept connections, against pgbench on the same Postgres",
  async open() {
    const house = await openHouse();
    const takers: Record<string, Taker> = {};
    let stopGenerator = () => {};
    const close = async () => {
      stopGenerator();
      for (const taker of Object.values(takers)) taker.stop();
      await house.stop();
    };
    try {
      stopGenerator = await openTakers(house, takers);
    } catch (error) {
      await close();
      throw error;
    }
    return {
      contests: [{ name: "orders executed", measure: (plan) => measure(takers, plan), goals: GOALS }],
      close,
    };
  },
} satisfies Benchmark;
