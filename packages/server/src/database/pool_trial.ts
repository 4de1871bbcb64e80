// A process that opens all connections of a pool and then has two of them at work all the time; it says how many bytes it keeps of
// the statements.
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
