// node tools/probe.mjs unix:PATH|HOST:PORT [/ready]: exits with 0 if the address answers 200, with 2 for
// wrong usage, otherwise with 1. Containers use it as their probe, because it needs no shell and no
// dependency. It runs inside the container, because the operations listener is a Unix socket or on loopback.
import { request } from "node:http";
import process from "node:process";

const TIMEOUT_MS = 2_000;
const USAGE = 2;

const [address = "", path = "/ready"] = process.argv.slice(2);
const [, socketPath, host, port] = /^(?:unix:(.+)|(127\.0\.0\.1|\[::1\]):(\d{1,5}))$/.exec(address) ?? [];
if (!socketPath && !port) {
  process.stderr.write("Usage: node tools/probe.mjs unix:PATH|127.0.0.1:PORT [/ready]\n");
  process.exit(USAGE);
}

const where = socketPath ? { socketPath } : { host: host.replace(/[[\]]/g, ""), port };
const outgoing = request({ ...where, path, timeout: TIMEOUT_MS, agent: false }, ({ statusCode }) => {
  if (statusCode !== 200) process.stderr.write(`${address}${path} answered ${statusCode}\n`);
  process.exit(statusCode === 200 ? 0 : 1);
});
const fail = (reason) => {
  process.stderr.write(`${address}${path} did not answer: ${reason}\n`);
  process.exit(1);
};
outgoing.on("timeout", () => fail(`timeout after ${TIMEOUT_MS / 1000} s`)).on(
  "error",
  ({ message }) => fail(message),
).end();
