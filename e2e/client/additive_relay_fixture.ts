import { createServer, request, type Server } from "node:https";
import type { AddressInfo } from "node:net";

interface Upstream {
  readonly port: number;
  readonly ca: string;
  /** The partner's certificate, which the relay presents, because it ends the client's TLS itself. */
  readonly cert: string;
  readonly key: string;
}

/** What a later version could add: a value of each open text, and a member of each object. */
export const ADDED = "added_later";

/**
 * Answers as a later version of the service could: each open text of a reply has a value that no version knows today,
 * and each object has one more member. Everything else passes unchanged.
 */
export class AdditiveRelay {
  readonly #server: Server;
  readonly #open: ReadonlySet<string>;

  private constructor(server: Server, open: ReadonlySet<string>) {
    [this.#server, this.#open] = [server, open];
  }

  /** `own` is the relay's certificate with its key. `description` says which texts are open. */
  static async open(
    { port, ca, cert, key }: Upstream,
    own: { readonly cert: string; readonly key: string },
    description: unknown,
  ): Promise<AdditiveRelay> {
    const server = createServer(own);
    const relay = new AdditiveRelay(server, new Set(openNames(description)));
    server.on("request", (given, reply) => {
      const { method, url, headers } = given;
      const sent = request(
        { host: "localhost", port, ca, cert, key, method, path: url, headers },
        (answer) => {
          const parts: Uint8Array[] = [];
          answer.on("data", (part: Uint8Array) => parts.push(part)).on("end", () => {
            const text = new TextDecoder().decode(Uint8Array.from(parts.flatMap((part) => [...part])));
            const { "content-length": _length, ...rest } = answer.headers;
            const isJson = /json/.test(`${rest["content-type"]}`);
            reply.writeHead(answer.statusCode!, rest).end(
              isJson ? JSON.stringify(relay.#extend(JSON.parse(text))) : text,
            );
          });
        },
      );
      sent.on("error", () => reply.destroy());
      given.pipe(sent);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #extend(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#extend(one));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [
      name,
      this.#open.has(name) && typeof member === "string" ? ADDED : this.#extend(member),
    ]);
    return { ...Object.fromEntries(members), [ADDED]: { list: [1, null, "text"] } };
  }
}

/** The names of the members whose values are open. */
function openNames(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { properties = {} } = value as { readonly properties?: Readonly<Record<string, object>> };
  const own = Object.entries(properties).filter(([, schema]) => "x-extensible-enum" in schema).map(([name]) =>
    name
  );
  return [...own, ...Object.values(value).flatMap(openNames)];
}
