// Receives webhooks on Node with the package of Standard Webhooks: npm install standardwebhooks@1.1.1
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const { RECEIVER_LISTEN, CERTIFICATE_FILE, KEY_FILE, WEBHOOK_SECRETS_FILE, CLIENT_ID, LAST_SEQUENCE } =
  process.env;
const BODY_MAX_BYTES = 65_536;

// A real receiver keeps these in its database: the stored events, and which of them it has processed.
const waiting = new Map();
const processed = new Set();
const start = Number(LAST_SEQUENCE ?? 0);

/**
 * Returns the event if one of the active secrets signed it and it was sent to this partner. The secrets are read
 * for each delivery, so that a rotation needs no restart.
 */
function verify(body, headers) {
  const secrets = readFileSync(WEBHOOK_SECRETS_FILE, "utf8").split("\n").filter((line) => line !== "");
  for (const secret of secrets) {
    try {
      const event = new Webhook(secret).verify(body, headers);
      // Services before 0.7.0 do not name the partner.
      return (event.client_id ?? CLIENT_ID) === CLIENT_ID ? event : undefined;
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
  if (isProcessed(event.sequence) || waiting.has(event.sequence)) return;
  waiting.set(event.sequence, event);
  if (!isProcessed(previousOf(event))) console.log(`${event.sequence} waits for ${previousOf(event)}`);
}

/** The number of the event to process before this one; 0 for none. Services before 0.7.0 do not name it. */
function previousOf({ sequence, previous_sequence = sequence - 1 }) {
  return previous_sequence ?? 0;
}

function isProcessed(sequence) {
  return sequence <= start || processed.has(sequence);
}

/** Processes each stored event whose previous event is processed, in order of their sequence numbers. */
function work() {
  for (const event of [...waiting.values()].sort((one, other) => one.sequence - other.sequence)) {
    if (!isProcessed(previousOf(event))) continue;
    console.log(`${event.sequence} ${event.type} ${event.id}`);
    processed.add(event.sequence);
    waiting.delete(event.sequence);
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
server.on("error", ({ code, message }) => {
  const taken = `${RECEIVER_LISTEN} is taken by another program; end that program, or set another port.`;
  console.error(`The receiver cannot listen: ${code === "EADDRINUSE" ? taken : message}`);
  process.exit(1);
});
server.listen(Number(port), host, () => console.log(`listening on ${host}:${server.address().port}`));
