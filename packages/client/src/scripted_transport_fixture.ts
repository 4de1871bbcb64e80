import { GoldClient } from "./gold_client.ts";
import type { GoldClientOptions, TryReport } from "./options.ts";
import type { Transport, TransportReply, TransportRequest } from "./transport.ts";
import { generateJwk } from "../../../tools/testing/generated_key.ts";

/** The answer to one request: a reply, an error to throw, or a function that makes the reply. */
export type Answer =
  | TransportReply
  | Error
  | ((request: TransportRequest) => Promise<TransportReply>)
  | Parts;
/** The texts of a stream that then ends. */
type Parts = readonly string[];

const encoder = new TextEncoder();

export function reply(status: number, body: unknown, headers: Record<string, string> = {}): TransportReply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: new Headers(headers), body: encoder.encode(text) };
}

export const problem = (status: number, code: string, more: object = {}, headers?: Record<string, string>) =>
  reply(status, { code, detail: `It is ${code}.`, request_id: "req_1", ...more }, headers);

export const QUOTE = {
  ...{ quote_id: "qt_1", side: "buy", status: "open", created_at: "", expires_at: "" },
  ...{ gold_grams: 1.5, price_per_gram_sar: 500.0001, total_sar: 750.01 },
};

export const ORDER = {
  ...{ order_id: "ord_1", quote_id: "qt_1", side: "buy", status: "executed", executed_at: "", balances: {} },
  ...{ gold_grams: 1.5, price_per_gram_sar: 500.0001, total_sar: 750.01 },
};

export interface Script {
  readonly client: GoldClient;
  /** The requests that were sent, without the token requests. */
  readonly sent: TransportRequest[];
  readonly tokens: TransportRequest[];
  readonly reports: TryReport[];
}

async function* bytesOf(parts: Parts): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield encoder.encode(part);
}

export const SIGNING_KEY = JSON.stringify(await generateJwk());

/**
 * A client whose transport gives these answers in this order. It grants every token request after the first ones,
 * which get `refusals`.
 */
export async function play(
  answers: readonly Answer[],
  options: Partial<GoldClientOptions> = {},
  refusals: readonly (TransportReply | Error)[] = [],
): Promise<Script> {
  const [sent, tokens, reports]: [TransportRequest[], TransportRequest[], TryReport[]] = [[], [], []];
  const left = [...answers];
  const transport: Transport = {
    async send(request) {
      if (request.url.endsWith("/oauth/token")) {
        const refusal = refusals[tokens.push(request) - 1];
        if (refusal instanceof Error) throw refusal;
        if (refusal) return refusal;
        const granted = { access_token: `token-${tokens.length}`, token_type: "Bearer", expires_in: 600 };
        return reply(200, granted);
      }
      sent.push(request);
      const answer = left.shift();
      if (answer === undefined) throw new Error("the script has no answer left");
      if (answer instanceof Error) throw answer;
      if (Array.isArray(answer)) throw new Error("the script has a stream here");
      return typeof answer === "function" ? await answer(request) : answer as TransportReply;
    },
    async open(request) {
      const parts = left[0];
      if (Array.isArray(parts)) {
        left.shift();
        sent.push(request);
        return {
          status: 200,
          headers: new Headers({ "Content-Type": "text/event-stream" }),
          body: bytesOf(parts),
        };
      }
      const { status, headers, body } = await transport.send(request);
      return { status, headers, body: bytesOf([new TextDecoder().decode(body)]) };
    },
    close() {},
  };
  const client = await GoldClient.open({
    ...{ baseUrl: "https://localhost:8443", clientId: "sbx_1", clientSecret: "secret" },
    ...{ transport, signingKey: SIGNING_KEY, random: () => 0, observe: (report) => reports.push(report) },
    ...options,
  });
  return { client, sent, tokens, reports };
}
