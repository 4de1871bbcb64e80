import { ENDPOINTS, IDEMPOTENCY_KEY_FORM, type OperationId } from "@gold-partner/protocol";
import type { Replies } from "./api_types.ts";
import type { Call, Exchange } from "./exchange.ts";
import { GoldError } from "./gold_error.ts";
import type { CallOptions, WriteOptions } from "./options.ts";
import { type PagePromise, pagesOf } from "./page_promise.ts";
import { writeForm, writeRequest } from "./wire_value.ts";

type Operation = keyof Replies;
type Lists = "listOrders" | "listWithdrawals" | "listFundings" | "listEvents";

/** The values of an operation's path parameters, and its query. */
interface Place {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: object;
}

/** Makes the calls of operations: reads, writes and lists. */
export class Calls {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  async read<Id extends Operation>(id: Id, options?: CallOptions, place?: Place): Promise<Replies[Id]> {
    const call: Call = { signal: options?.signal, target: targetOf(id, place) };
    return await this.#exchange.call(id, call) as Replies[Id];
  }

  async write<Id extends Operation>(
    id: Id,
    request: object,
    { idempotencyKey = crypto.randomUUID(), signal }: WriteOptions = {},
    path?: Place["path"],
  ): Promise<Replies[Id]> {
    if (typeof idempotencyKey !== "string" || !IDEMPOTENCY_KEY_FORM.test(idempotencyKey)) {
      throw new GoldError("argument_invalid", "idempotencyKey must be 1 to 255 visible ASCII characters.");
    }
    const call = { idempotencyKey, signal, target: targetOf(id, { path }), body: writeRequest(request) };
    return await this.#exchange.call(id, call) as Replies[Id];
  }

  /** `next` is the name of the query parameter that takes a page's next_cursor. */
  list<Id extends Lists>(
    id: Id,
    next: "cursor" | "after",
    query: object = {},
    options?: CallOptions,
  ): PagePromise<Replies[Id]> {
    return pagesOf((cursor) =>
      this.read(id, options, { query: cursor === undefined ? query : { ...query, [next]: cursor } })
    );
  }
}

/** The operation's path and query, as they are sent. */
export function targetOf(operation: OperationId, { path = {}, query = {} }: Place = {}): string {
  const filled = ENDPOINTS[operation].path.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    // Any other text, for example one with a slash, could lead to another path.
    if (/^\w+(?:-\w+)*$/.test(path[name] ?? "")) return path[name]!;
    throw new GoldError("argument_invalid", `${name} is not an id; pass the id that the service returned.`);
  });
  const search = writeForm(query);
  return search === "" ? filled : `${filled}?${search}`;
}
