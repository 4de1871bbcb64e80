// Receives webhooks on Deno with the package of Standard Webhooks: deno add npm:standardwebhooks@1.1.1
// It needs --allow-env, --allow-net and --allow-read.
import { Webhook, WebhookVerificationError } from "standardwebhooks";

interface Event {
  id: string;
  sequence: number;
  type: string;
}

const [hostname, port] = setting("RECEIVER_LISTEN").split(":");
const BODY_MAX_BYTES = 65_536;

// A real receiver keeps two things in its database: the stored events, and the sequence number of the last
// processed event.
const stored = new Map<number, Event>();
let last = Number(Deno.env.get("LAST_SEQUENCE") ?? 0);

function setting(name: string): string {
  const value = Deno.env.get(name);
  if (value) return value;
  throw new Error(`${name} is missing.`);
}

/**
 * Returns the event if one of the active secrets signed it. The secrets are read for each delivery, so that a
 * rotation needs no restart.
 */
function verify(body: string, headers: Headers): Event | undefined {
  const secrets = Deno.readTextFileSync(setting("WEBHOOK_SECRETS_FILE")).split("\n");
  for (const secret of secrets.filter((line) => line !== "")) {
    try {
      return new Webhook(secret).verify(body, Object.fromEntries(headers)) as Event;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
    }
  }
}

/**
 * Stores an event once. A sequence number belongs to one event, so it identifies a repeated delivery, as the
 * id does.
 */
function store(event: Event): void {
  if (event.sequence <= last || stored.has(event.sequence)) return;
  stored.set(event.sequence, event);
  if (event.sequence > last + 1) console.log(`${event.sequence} waits for ${last + 1}`);
}

/** Processes the stored events in order of their sequence numbers, up to the first gap. */
function work(): void {
  for (let event; (event = stored.get(last + 1));) {
    console.log(`${event.sequence} ${event.type} ${event.id}`);
    stored.delete(++last);
  }
}

Deno.serve({
  hostname,
  port: Number(port),
  cert: Deno.readTextFileSync(setting("CERTIFICATE_FILE")),
  key: Deno.readTextFileSync(setting("KEY_FILE")),
  onListen: (address) => console.log(`listening on ${address.hostname}:${address.port}`),
}, async (request) => {
  if (!(Number(request.headers.get("content-length") ?? NaN) <= BODY_MAX_BYTES)) {
    return new Response(null, { status: 413 });
  }
  const event = verify(await request.text(), request.headers);
  if (!event) return new Response(null, { status: 400 });
  store(event);
  // Answer before processing the event. A delivery without an answer within 15 seconds fails and is sent
  // again.
  setTimeout(work);
  return new Response(null, { status: 200 });
});
