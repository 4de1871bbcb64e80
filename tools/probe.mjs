// node tools/probe.mjs unix:PATH|HOST:PORT [/ready]: exit 0 where it answers 200, else 1. A container's probe, without a shell
// and without a dependency: the operations listener is a Unix socket or loopback, which no prober reaches from outside.
import { request } from "node:http";
import process from "node:process";

const PATIENCE_MS = 2_000;
const USAGE = 2;

const [address = "", path = "/ready"] = process.argv.slice(2);
const [, socketPath, host, port] = /^(?:unix:(.+)|(127\.0\.0\.1|\[::1\]):(\d{1,5}))$/.exec(address) ?? [];
if (!socketPath && !port) {
  process.stderr.write("node tools/probe.mjs unix:PATH|127.0.0.1:PORT [/ready]\n");
  process.exit(USAGE);
}

const where = socketPath ? { socketPath } : { host: host.replace(/[[\]]/g, ""), port };
const asked = request({ ...where, path, timeout: PATIENCE_MS, agent: false }, ({ statusCode }) => {
  if (statusCode !== 200) process.stderr.write(`${address}${path} answers ${statusCode}\n`);
  process.exit(statusCode === 200 ? 0 : 1);
});
const fail = (reason) => {
  process.stderr.write(`${address}${path} does not answer: ${reason}\n`);
  process.exit(1);
};
asked.on("timeout", () => fail("silence")).on("error", ({ message }) => fail(message)).end();
