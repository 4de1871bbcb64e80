import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { type JsonObject, readJson } from "@gold-partner/canonical";
import { chainAnswer, type SignedExchange } from "@gold-partner/client";
import { hostBytes } from "@gold-partner/protocol";
import { usage } from "../failure.ts";

/** One order, withdrawal or cancellation, as the partner recorded it. */
export interface Kept {
  /** The line of the file, for messages. */
  readonly line: number;
  /** The reply's members, with numbers as their source text. */
  readonly reply: JsonObject;
  /** When the service executed it. */
  readonly at: string;
  /** The possible answers of the exchange, one for each signing key. Empty if the first reply was lost. */
  readonly answers: readonly string[];
}

const TEXTS = ["idempotency_key", "method", "target", "timestamp", "nonce", "signature", "body"] as const;

/** The exchanges that the client wrote to a file: about 1 KB of memory for each order and withdrawal. */
export class KeptExchanges {
  readonly #kept = new Map<string, Kept>();
  /** The requests without a reply of the service. Their outcome is unknown. */
  readonly #unanswered = new Set<string>();

  /** The orders, withdrawals and cancellations whose reply was recorded, by their id or cancellationId(). */
  get records(): ReadonlyMap<string, Kept> {
    return this.#kept;
  }

  /** Whether a try whose outcome was unknown asked for the record with this id or these members. */
  hasUnanswered(id: string, { quote_id, amount_sar, reference }: Readonly<Record<string, unknown>>): boolean {
    return this.#unanswered.has(id) || this.#unanswered.has(requestKey(quote_id, amount_sar, reference));
  }

  /** `thumbprints` are those of the partner's signing keys. */
  static async read(file: string, thumbprints: readonly string[]): Promise<KeptExchanges> {
    const exchanges = new KeptExchanges();
    let number = 0;
    try {
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        number++;
        if (line !== "") exchanges.#add(number, parse(line), thumbprints);
      }
    } catch (error) {
      const where = number === 0 ? file : `${file}, line ${number}`;
      throw usage(`--requests: ${where} cannot be read: ${(error as Error).message}.`);
    }
    return exchanges;
  }

  #add(line: number, exchange: SignedExchange, thumbprints: readonly string[]): void {
    const isDone = exchange.status === 201 || exchange.status === 200;
    const reply = isDone && exchange.reply !== null ? findObject(exchange.reply) : undefined;
    if (!reply && (isDone || exchange.reply === null || exchange.status === null || exchange.status >= 500)) {
      const { quote_id, amount_sar, reference } = objectOf(exchange.body);
      const [, cancelled] = CANCELLATION.exec(exchange.target) ?? [];
      this.#unanswered.add(
        cancelled ? cancellationId(cancelled) : requestKey(quote_id, amount_sar, reference),
      );
    }
    if (!reply) return;
    const isCancellation = CANCELLATION.test(exchange.target);
    const id = isCancellation
      ? cancellationId(`${reply.withdrawal_id}`)
      : reply.order_id ?? reply.withdrawal_id;
    const at = isCancellation
      ? (reply.balances as JsonObject | undefined)?.as_of
      : reply.executed_at ?? reply.created_at;
    if (typeof id !== "string" || typeof at !== "string") return;
    // A repeated reply has the status 200 and a request id of its own. The answer cannot be computed from it.
    if (exchange.status === 200 && this.#kept.has(id)) return;
    const answers = exchange.status === 200
      ? []
      : thumbprints.map((thumbprint) => chainAnswer(exchange, thumbprint)!);
    this.#kept.set(id, { line, reply, at, answers });
  }
}

function parse(line: string): SignedExchange {
  const exchange = JSON.parse(line) as SignedExchange;
  const wrong = TEXTS.find((name) => typeof exchange?.[name] !== "string");
  if (wrong !== undefined) throw new Error(`its member ${wrong} must be a string`);
  return exchange;
}

function objectOf(text: string): JsonObject {
  const value = readJson(hostBytes.utf8(text));
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Error("a body is not a JSON object");
}

/** Undefined if the text is no JSON object: a proxy may have answered in place of the service. */
function findObject(text: string): JsonObject | undefined {
  try {
    return objectOf(text);
  } catch {
    return undefined;
  }
}

const CANCELLATION = /\/v1\/withdrawals\/(wd_[^/]+)\/cancel$/;

/** Tells the cancellation of a withdrawal from its request. */
export const cancellationId = (withdrawalId: string): string => `the cancellation of ${withdrawalId}`;

/** An order is known by its quote alone, a withdrawal by its amount and its reference. */
const requestKey = (quoteId: unknown, amountSar: unknown, reference: unknown): string =>
  JSON.stringify((quoteId ? [quoteId] : [amountSar, reference]).map(memberText));

/** A member as text: a number as its source, a quantity as its decimal. */
export const memberText = (value: unknown): string =>
  value === undefined || value === null || value === "" ? "none" : `${value}`;
