// The process that sends the requests of a turn, which is one measured interval. `prepare` builds the
// requests and signs the orders. `run` sends the requests.
import { importSigningKey, keySigner } from "@gold-partner/jws";
import { PartnerRequests } from "../../prove/stage/trader.ts";
import { memberOf, type Reply, requireReply, Wire } from "../../prove/stage/wire.ts";
import { takeTasks } from "../../testing/child_program.ts";
import { inFlight as inParallel, type Sample, startClock } from "../harness.ts";
import type { GeneratedJwk } from "../../testing/generated_key.ts";
import { latencyOf } from "../summary.ts";

/** How to reach the service, and the partners' identities. Every partner has the same client secret. */
export interface Settings {
  readonly socket: string;
  /** Where tokens come from. Default: `socket`. */
  readonly tokenSocket?: string;
  readonly baseUrl: string;
  readonly clientSecret: string;
  readonly partners: readonly PartnerIdentity[];
}

interface PartnerIdentity {
  readonly clientId: string;
  readonly fingerprint: string;
  readonly signingJwk: GeneratedJwk;
}

/** The requests of a turn: one order for each of these quotes, or this number of new quotes. */
export type Plan = { readonly ordersOf: readonly string[] } | { readonly newQuotes: number };

/** The requests go to the partners round-robin, beginning with `firstPartner`. */
export interface Requests {
  readonly plan: Plan;
  readonly partners: number;
  readonly firstPartner: number;
  readonly inFlight: number;
}

export type Task =
  | { readonly settings: Settings }
  | { readonly prepare: Requests }
  | { readonly run: number | "all" }
  | { readonly quoteIds: true };

export type Report = Omit<Sample, "operations" | "cpuMs">;

const GRAMS = "0.001";
const SIGNED_AT_ONCE = 16;
/**
 * Half of a token's lifetime. Older tokens are replaced before a turn, so that no token expires during it.
 */
const TOKEN_MS = 300_000;

interface Sender {
  readonly requests: PartnerRequests;
  tokenSinceMs: number;
}

class Generator {
  readonly #socket: string;
  readonly #tokenSocket: string;
  readonly #senders: readonly Sender[];
  #requests: Uint8Array[] = [];
  #wires: readonly Wire[] = [];
  #replies: Reply[] = [];
  #next = 0;

  constructor({ socket, tokenSocket = socket }: Settings, senders: readonly Sender[]) {
    this.#socket = socket;
    this.#tokenSocket = tokenSocket;
    this.#senders = senders;
  }

  async prepare({ plan, partners, firstPartner, inFlight }: Requests): Promise<void> {
    const senders = this.#senders.slice(0, partners);
    await this.#renewTokens(senders);
    const count = "ordersOf" in plan ? plan.ordersOf.length : plan.newQuotes;
    const requests: Uint8Array[] = [];
    await inParallel(SIGNED_AT_ONCE, async (index) => {
      const sender = senders[(firstPartner + index) % senders.length]!.requests;
      requests[index] = "ordersOf" in plan
        ? await sender.order(plan.ordersOf[index]!)
        : sender.quote("buy", GRAMS);
    })(count);
    this.#requests = requests;
    this.#replies = [];
    this.#next = 0;
    // Connect last, because the service closes idle connections.
    this.#wires = await Promise.all(Array.from({ length: inFlight }, () => Wire.open(this.#socket)));
  }

  /**
   * Sends `count` of the prepared requests. Each connection sends its next request when the previous one is
   * answered.
   */
  async run(count: number | "all"): Promise<Report> {
    const requests = this.#requests;
    const end = count === "all" ? requests.length : Math.min(requests.length, this.#next + count);
    const latencies: number[] = [];
    const clock = startClock();
    await Promise.all(
      this.#wires.map(async (wire) => {
        while (this.#next < end) {
          const [index, sentMs] = [this.#next++, performance.now()];
          const reply = await wire.send(requests[index]!);
          latencies.push((performance.now() - sentMs) * 1000);
          this.#replies[index] = requireReply("a request", reply);
        }
      }),
    );
    const { wallMs, cpuMs } = clock();
    if (end === requests.length) { for (const wire of this.#wires) wire.close(); }
    return { wallMs, loadCpuMs: cpuMs, ...latencyOf(latencies) };
  }

  /** The ids of the quotes that the prepared requests created, in the order of the requests. */
  readQuoteIds(): string[] {
    return this.#replies.map((reply) => memberOf(reply, "quote_id"));
  }

  async #renewTokens(senders: readonly Sender[]): Promise<void> {
    const wire = await Wire.open(this.#tokenSocket);
    for (const sender of senders.filter((one) => one.tokenSinceMs < performance.now() - TOKEN_MS)) {
      sender.requests.takeToken(await wire.send(sender.requests.tokenRequest()));
      sender.tokenSinceMs = performance.now();
    }
    wire.close();
  }
}

let generator: Generator | undefined;

async function act(task: Task): Promise<Report | { quoteIds: string[] } | Record<string, never>> {
  if ("settings" in task) {
    const { baseUrl, clientSecret, partners } = task.settings;
    const senders = await Promise.all(
      partners.map(async ({ clientId, fingerprint, signingJwk }): Promise<Sender> => {
        const account = { client_id: clientId, client_secret: clientSecret, base_url: baseUrl };
        const signer = keySigner(await importSigningKey(signingJwk));
        return { requests: new PartnerRequests(account, fingerprint, signer), tokenSinceMs: -Infinity };
      }),
    );
    generator = new Generator(task.settings, senders);
    return {};
  }
  if (!generator) throw new Error("the first command must be settings");
  if ("run" in task) return await generator.run(task.run);
  if ("quoteIds" in task) return { quoteIds: generator.readQuoteIds() };
  await generator.prepare(task.prepare);
  return {};
}

await takeTasks(act);
