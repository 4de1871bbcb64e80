// Receives webhooks on Node with the package of Standard Webhooks: npm install standardwebhooks@1.1.1
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const { RECEIVER_LISTEN, CERTIFICATE_FILE, KEY_FILE, WEBHOOK_SECRETS_FILE, LAST_SEQUENCE } = process.env;
const BODY_MAX_BYTES = 65_536;

// A real receiver keeps both in its database: the stored events and the sequence number of the last processed event.
const stored = new Map();
let last = Number(LAST_SEQUENCE ?? 0);

/** The event, when one of the active secrets signed it. They are read each time, so that a rotation needs no restart. */
function verify(body, headers) {
  const secrets = readFileSync(WEBHOOK_SECRETS_FILE, "utf8").split("\n").filter((line) => line !== "");
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(body, headers);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
    }
  }
}

/** What came before is left alone: a number belongs to one event, so it tells a repeat as well as the id does. */
function store(event) {
  if (event.sequence <= last || stored.has(event.sequence)) return;
  stored.set(event.sequence, event);
  if (event.sequence > last + 1) console.log(`${event.sequence} waits for ${last + 1}`);
}

/** In the order of the numbers, up to the first gap. */
function work() {
  for (let event; (event = stored.get(last + 1));) {
    console.log(`${event.sequence} ${event.type} ${event.id}`);
    stored.delete(++last);
  }
}

async function receive(request) {
  if (!(Number(request.headers["content-length"]) <= BODY_MAX_BYTES)) return 413;
  const event = verify(await buffer(request), request.headers);
  if (!event) return 400;
  store(event);
  return 200;
}

const [host, port] = RECEIVER_LISTEN.split(":");
const server = createServer({ cert: readFileSync(CERTIFICATE_FILE), key: readFileSync(KEY_FILE) });
server.on("request", async (request, response) => {
  const status = await receive(request).catch((error) => {
    console.error(error);
    return 500;
  });
  // Answer before the work: after 15 seconds the delivery counts as failed and is sent again.
  response.writeHead(status).end(work);
});
server.listen(Number(port), host, () => console.log(`listening on ${host}:${server.address().port}`));
