// Opens all connections of a pool, then keeps two of them busy. Prints by how many bytes the heap grew during
// the given number of statements.
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { connect } from "./pools.ts";

const [url, statements] = process.argv.slice(2);
const CONNECTIONS = 4;
const AT_WORK = 2;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const heapBytes = () => (collectGarbage(), process.memoryUsage().heapUsed);

const sql = connect(url!, CONNECTIONS);
const ask = async (times: number) => {
  for (let time = 0; time < times; time++) await sql`select 1`;
};
const askAll = (times: number) => Promise.all(Array.from({ length: AT_WORK }, () => ask(times / AT_WORK)));
await Promise.all(Array.from({ length: CONNECTIONS }, () => sql`select pg_sleep(0.2)`));
await askAll(4000);
const before = heapBytes();
await askAll(Number(statements));
console.log(heapBytes() - before);
await sql.end();
