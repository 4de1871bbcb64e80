#!/usr/bin/env node
// `npx --no-install gold`: the same as `npm run gold --`.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

const run = fileURLToPath(new URL("../../../tools/run.mjs", import.meta.url));
const env = { ...process.env, INIT_CWD: process.cwd() };
const { status } = spawnSync(process.execPath, [run, "gold", ...process.argv.slice(2)], {
  stdio: "inherit",
  env,
});
process.exit(status ?? 1);
