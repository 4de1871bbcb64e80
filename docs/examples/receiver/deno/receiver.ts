// Receives webhooks on Deno with the package of Standard Webhooks: deno add npm:standardwebhooks@1.1.1
// It needs --allow-env, --allow-net and --allow-read.
import { Webhook, WebhookVerificationError } from "standardwebhooks";

interface Event {
  id: string;
  sequence: number;
  previous_sequence?: number | null;
  client_id?: string;
  type: string;
}

const [hostname, port] = setting("RECEIVER_LISTEN").split(":");
const CLIENT_ID = setting("CLIENT_ID");
const BODY_MAX_BYTES = 65_536;

// A real receiver keeps these in its database: the stored events, and which of them it has processed.
const waiting = new Map<number, Event>();
const processed = new Set<number>();
const start = Number(Deno.env.get("LAST_SEQUENCE") ?? 0);

function setting(name: string): string {
  const value = Deno.env.get(name);
  if (value) return value;
  throw new Error(`${name} is missing.`);
}

/**
 * Returns the event if one of the active secrets signed it and it was sent to this partner. The secrets are read
 * for each delivery, so that a rotation needs no restart.
 */
function verify(body: string, headers: Headers): Event | undefined {
  const secrets = Deno.readTextFileSync(setting("WEBHOOK_SECRETS_FILE")).split("\n");
  for (const secret of secrets.filter((line) => line !== "")) {
    try {
      const event = new Webhook(secret).verify(body, Object.fromEntries(headers)) as Event;
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
function store(event: Event): void {
  if (isProcessed(event.sequence) || waiting.has(event.sequence)) return;
  waiting.set(event.sequence, event);
  if (!isProcessed(previousOf(event))) console.log(`${event.sequence} waits for ${previousOf(event)}`);
}

/** The number of the event to process before this one; 0 for none. Services before 0.7.0 do not name it. */
function previousOf({ sequence, previous_sequence = sequence - 1 }: Event): number {
  return previous_sequence ?? 0;
}

function isProcessed(sequence: number): boolean {
  return sequence <= start || processed.has(sequence);
}

/** Processes each stored event whose previous event is processed, in order of their sequence numbers. */
function work(): void {
  for (const event of [...waiting.values()].sort((one, other) => one.sequence - other.sequence)) {
    if (!isProcessed(previousOf(event))) continue;
    console.log(`${event.sequence} ${event.type} ${event.id}`);
    processed.add(event.sequence);
    waiting.delete(event.sequence);
  }
}

async function receive(request: Request): Promise<Response> {
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
}

try {
  Deno.serve({
    hostname,
    port: Number(port),
    cert: Deno.readTextFileSync(setting("CERTIFICATE_FILE")),
    key: Deno.readTextFileSync(setting("KEY_FILE")),
    onListen: (address) => console.log(`listening on ${address.hostname}:${address.port}`),
  }, receive);
} catch (error) {
  const taken = `${hostname}:${port} is taken by another program; end that program, or set another port.`;
  const why = error instanceof Deno.errors.AddrInUse ? taken : (error as Error).message;
  console.error(`The receiver cannot listen: ${why}`);
  Deno.exit(1);
}
