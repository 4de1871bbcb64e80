import { Buffer } from "node:buffer";
import process from "node:process";
import { randomFrom } from "../testing/random.ts";
import { Deployment } from "./stage/deployment.ts";
import { EnvoyFront } from "./stage/envoy_front.ts";
import { openGateway } from "./stage/gateway.ts";
import { KeepAlivePool, openTlsWire, readIdentity } from "./stage/partner_connection.ts";
import { suiteBodies } from "./fuzzing/json_test_suite_fixture.ts";
import { checkReply } from "./fuzzing/check_reply.ts";
import { mutateBody } from "./fuzzing/mutate_body.ts";
import { compareRows, countRows, type Path, type Sent } from "./fuzzing/rows.ts";
import { type Finding, Report } from "./stage/report.ts";
import { checkMemory, residentMebibytes } from "./stage/resident_memory.ts";
import { findImbalance } from "./stage/stage.ts";
import { addTo, byFrequency, memberOf, requireReply, tallyText, verdictOf } from "./stage/wire.ts";

// npm run prove -- fuzzing [--envoy] [--short]: sends broken bodies over mutual TLS, unsigned to /v1/quotes
// and signed to /v1/orders. With --envoy they go through the real Envoy.

const COUNT = { long: 100_000, short: 2_000 };
const BATCH = 1_000;
const WIRES = 16;
const SEED = 20_261_120;
const INITIAL_FUNDING_SAR = "10000000";

const short = process.argv.includes("--short");
const count = short ? COUNT.short : COUNT.long;
const report = new Report();
const deployment = await Deployment.start({ servers: 1, traders: 1, lanes: 2 });
const trader = deployment.traders[0]!;
try {
  if (process.argv.includes("--envoy")) await EnvoyFront.open(deployment);
  else await openGateway(deployment);
  const identity = await readIdentity(trader.credentials);
  const pool = new KeepAlivePool(() => openTlsWire(deployment.port, identity), WIRES);
  const bases = await makeBases(pool);
  report.tried("JSONTestSuite's texts", await check(pool, suiteBodies()));
  const memory: number[] = [];
  const bodies = mutatedBodies(bases);
  report.tried(
    `${count} mutations`,
    await check(pool, bodies, () => memory.push(residentMebibytes(deployment.servers[0]!.pid))),
  );
  report.tried("memory of the service", checkMemory(memory, short));
  pool.close();
} finally {
  await deployment.stop();
}
process.exit(report.close("fuzzing") ? 0 : 1);

/** Valid bodies, to be mutated. */
async function makeBases(pool: KeepAlivePool): Promise<Record<Path, string[]>> {
  await deployment.fund(INITIAL_FUNDING_SAR);
  const quoted = await pool.send(trader.quote("buy", "0.01"));
  const quoteId = memberOf(requireReply("the quote", quoted), "quote_id");
  return {
    "/v1/quotes": ['{"side":"buy","gold_grams":0.01}', '{"amount_sar":15,"side":"sell"}'],
    "/v1/orders": [`{"quote_id":"${quoteId}"}`],
  };
}

function* mutatedBodies(bases: Readonly<Record<Path, string[]>>): Generator<[Path, Uint8Array]> {
  const random = randomFrom(SEED);
  for (let n = 0; n < count; n++) {
    const path = n % 2 === 0 ? "/v1/quotes" : "/v1/orders";
    yield [path, mutateBody(bases[path][random(bases[path].length)]!, random)];
  }
}

/** Sends the bodies batch by batch, and compares the replies with the new rows in the database. */
async function check(
  pool: KeepAlivePool,
  bodies: Iterable<[Path, Uint8Array]>,
  afterBatch = () => {},
): Promise<Finding> {
  const violations: string[] = [];
  const verdicts = new Map<string, number>();
  for (const batch of batchesOf(bodies)) {
    await deployment.renewTokens();
    const before = await countRows(deployment.sql);
    const sent = await send(pool, batch);
    for (const { path, body, reply } of sent) {
      addTo(verdicts, verdictOf(reply));
      const fault = checkReply(body, reply);
      if (fault) violations.push(`${fault}: ${path} ${JSON.stringify(Buffer.from(body).toString("latin1"))}`);
    }
    violations.push(...compareRows(before, await countRows(deployment.sql), sent));
    afterBatch();
  }
  violations.push(...await findImbalance(deployment), ...await deployment.findDefects());
  return { what: tallyText(byFrequency(verdicts)), violations };
}

async function send(pool: KeepAlivePool, batch: readonly [Path, Uint8Array][]): Promise<Sent[]> {
  return await Promise.all(batch.map(async ([path, body]) => {
    const request = path === "/v1/orders" ? await trader.signed(path, body) : trader.unsigned(path, body);
    const reply = await pool.send(request);
    return { path, body, reply: typeof reply === "string" ? undefined : reply };
  }));
}

function* batchesOf<T>(items: Iterable<T>): Generator<T[]> {
  const batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === BATCH) yield batch.splice(0);
  }
  if (batch.length > 0) yield batch;
}
