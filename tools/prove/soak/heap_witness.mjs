// On Node, the soak proof preloads this file into the service. At SIGUSR2 it collects garbage and writes the
// remaining bytes to a file.
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
