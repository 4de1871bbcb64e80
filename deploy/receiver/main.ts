// Example of a partner's webhook receiver:
// it serves https, verifies the signature and prints one line for each delivery.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import process from "node:process";
import { answerWebhooks } from "./receiver.ts";

const EXIT_USAGE = 2;
const PORT_MAX = 65_535;

function setting(name: string): string {
  const value = process.env[name];
  if (value) return value;
  console.error(
    `${name} is missing. The receiver needs RECEIVER_LISTEN (ADDRESS:PORT), CERTIFICATE_DIRECTORY (tls.crt, ` +
      "tls.key) and WEBHOOK_SECRETS_FILE (one secret per line). With CLIENT_ID, it refuses events for other partners.",
  );
  process.exit(EXIT_USAGE);
}

const listen = setting("RECEIVER_LISTEN");
const [, ipv6, name, port = ""] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(listen) ?? [];
if (port === "" || Number(port) > PORT_MAX) {
  console.error(`RECEIVER_LISTEN must be ADDRESS:PORT, such as 0.0.0.0:8444; got ${JSON.stringify(listen)}.`);
  process.exit(EXIT_USAGE);
}
const certificate = (file: string) => readFileSync(join(setting("CERTIFICATE_DIRECTORY"), file));
const server = createServer(
  { cert: certificate("tls.crt"), key: certificate("tls.key") },
  answerWebhooks({
    secretsFile: setting("WEBHOOK_SECRETS_FILE"),
    clientId: process.env.CLIENT_ID || undefined,
    nowSeconds: () => Math.floor(Date.now() / 1000),
    write: (line) => console.log(line),
  }),
);
server.listen(Number(port), ipv6 ?? name, () => console.log(JSON.stringify({ listening: listen })));
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => server.close());
