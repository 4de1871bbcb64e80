// Preloaded into the service by the soak proof, on Node: at SIGUSR2 it collects garbage and writes down what is left.
import { renameSync, writeFileSync } from "node:fs";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

process.on("SIGUSR2", () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const file = process.env.HEAP_WITNESS_FILE;
  writeFileSync(`${file}.new`, `${heapUsed + external}`);
  renameSync(`${file}.new`, file);
});
