// A separate process that spends the given nonces through the batcher, as the service does. It prints
// "ready", waits for a line on stdin, spends all nonces at once, and prints their outcomes.
import process from "node:process";
import { createInterface } from "node:readline";
import { connect } from "../../database/pools.ts";
import { openWriteProbe } from "../../database/write_probe.ts";
import { createMetrics } from "../../operations/metrics.ts";
import { openBooking } from "../booking.ts";
import type { NonceItem } from "./spend_nonces.ts";

const [url, items] = process.argv.slice(2);
const pools = { batches: connect(url!, 2), waiting: connect(url!, 4) };
const monotonicMs = () => performance.now();
const writes = await openWriteProbe({ sql: connect(url!, 1), standby: false, monotonicMs, log: () => {} });
const booking = openBooking(pools, 2, () => {}, writes, createMetrics());
await pools.batches`select 1`;
console.log("ready");
await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
const outcomes = await Promise.all((JSON.parse(items!) as NonceItem[]).map((item) => booking.spend(item)));
console.log(JSON.stringify(outcomes.map(({ outcome }) => outcome)));
process.exit(0);
