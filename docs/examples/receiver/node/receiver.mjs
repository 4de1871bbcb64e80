// Receives webhooks on Node with the package of Standard Webhooks: npm install standardwebhooks@1.1.1
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const { RECEIVER_LISTEN, CERTIFICATE_FILE, KEY_FILE, WEBHOOK_SECRETS_FILE, LAST_SEQUENCE } = process.env;
const BODY_MAX_BYTES = 65_536;

// A real receiver keeps two things in its database: the stored events, and the sequence number of the last
// processed event.
const stored = new Map();
let last = Number(LAST_SEQUENCE ?? 0);

/**
 * Returns the event if one of the active secrets signed it. The secrets are read for each delivery, so that a
 * rotation needs no restart.
 */
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

/**
 * Stores an event once. A sequence number belongs to one event, so it identifies a repeated delivery, as the
 * id does.
 */
function store(event) {
  if (event.sequence <= last || stored.has(event.sequence)) return;
  stored.set(event.sequence, event);
  if (event.sequence > last + 1) console.log(`${event.sequence} waits for ${last + 1}`);
}

/** Processes the stored events in order of their sequence numbers, up to the first gap. */
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
  // Answer before processing the event. A delivery without an answer within 15 seconds fails and is sent
  // again.
  response.writeHead(status).end(work);
});
server.listen(Number(port), host, () => console.log(`listening on ${host}:${server.address().port}`));
