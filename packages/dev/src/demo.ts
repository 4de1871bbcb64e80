import { readFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { canonicalRequest } from "@gold-partner/canonical";
import { importSigningKey, keySigner, signDetached } from "@gold-partner/jws";
import { hostBytes, requestSigner } from "@gold-partner/protocol";
import type { Credentials } from "./partner.ts";

const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A partner's way through a buy and a sell, live over mutual TLS. `tell` hears of each step. */
export async function runDemo(
  credentials: Credentials,
  tell: (step: string, ms: number, what: string) => void,
): Promise<void> {
  const { base_url, ca, cert, key, signing_key, client_id, client_secret } = credentials;
  const [caPem, certPem, keyPem, signingPem] = await Promise.all(
    [ca, cert, key, signing_key].map((file) => readFile(file, "utf8")),
  );
  const agent = new Agent({ ca: caPem!, cert: certPem!, key: keyPem!, keepAlive: true });
  const signer = keySigner(await importSigningKey(signingPem!));
  let token = "";

  const send = (method: string, path: string, body: string | undefined, headers: Record<string, string>) =>
    call(agent, new URL(path, base_url), method, body, {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...headers,
    });
  const write = (path: string, body: Record<string, unknown>) =>
    send("POST", path, JSON.stringify(body), {
      "Content-Type": "application/json",
      "Idempotency-Key": crypto.randomUUID(),
    });
  const order = async (quoteId: unknown) => {
    const body = JSON.stringify({ quote_id: quoteId });
    const signed = await signRequest({
      method: "POST",
      url: `${base_url}/v1/orders`,
      body: hostBytes.utf8(body),
      timestamp: `${Math.floor(Date.now() / 1000)}`,
      nonce: crypto.randomUUID(),
    }, signer);
    return await send("POST", "/v1/orders", body, {
      "Content-Type": "application/json",
      "Idempotency-Key": crypto.randomUUID(),
      ...signed,
    });
  };
  const step = async (
    name: string,
    act: () => Promise<Answer>,
    say: (body: Record<string, unknown>) => string,
  ) => {
    const startedMs = performance.now();
    const { status, body } = await act();
    if (status >= 300) throw new Error(`${name} was answered with ${status}: ${JSON.stringify(body)}`);
    tell(name, performance.now() - startedMs, say(body));
    return body;
  };

  try {
    await step(
      "health",
      () => send("GET", "/health", undefined, {}),
      () => "the service is up, and knows the certificate",
    );
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret })
      .toString();
    const granted = await step(
      "token",
      () => send("POST", "/oauth/token", form, { "Content-Type": "application/x-www-form-urlencoded" }),
      (body) => `a token for ${body.expires_in} s, bound to the certificate`,
    );
    token = granted.access_token as string;
    await step(
      "prices",
      () => send("GET", "/v1/prices", undefined, {}),
      (body) => `buy at ${body.buy_price}, sell at ${body.sell_price} SAR per gram`,
    );
    await step(
      "fund",
      () => write("/sandbox/fund", { amount_sar: 10000 }),
      (body) => `${body.amount_sar} SAR came in`,
    );
    const bought = await step(
      "quote",
      () => write("/v1/quotes", { side: "buy", gold_grams: 1.5 }),
      (body) => `${body.gold_grams} g for ${body.total_sar} SAR, firm for a minute`,
    );
    await step("order", () => order(bought.quote_id), (body) => `signed and executed: ${body.order_id}`);
    const sold = await step(
      "quote",
      () => write("/v1/quotes", { side: "sell", gold_grams: 0.5 }),
      (body) => `${body.gold_grams} g for ${body.total_sar} SAR`,
    );
    await step("sell", () => order(sold.quote_id), (body) => `signed and executed: ${body.order_id}`);
  } finally {
    agent.destroy();
  }
}

function call(
  agent: Agent,
  url: URL,
  method: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": `${hostBytes.utf8(body).length}` };
    const outgoing = request(
      url,
      { agent, method, headers: { ...headers, ...length }, timeout: 15_000 },
      (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (part) => text += part).on("end", () => {
          resolve({ status: reply.statusCode!, body: readObject(text) });
        }).on("error", reject);
      },
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error(`${method} ${url.pathname} took too long`))).on(
      "error",
      reject,
    ).end(body);
  });
}

function readObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { text };
  }
}
