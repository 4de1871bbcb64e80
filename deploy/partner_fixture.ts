import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { canonicalRequest } from "@gold-partner/canonical";
import { importSigningKey, keySigner, signDetached } from "@gold-partner/jws";
import { hostBytes, requestSigner } from "@gold-partner/protocol";

/** Runs one command of `gold` and returns the object that it prints. `words` is split at spaces. */
export type Gold = (words: string, ...more: string[]) => Promise<Record<string, unknown>>;

export interface Partner {
  readonly clientId: string;
  readonly folder: string;
  readonly webhookSecret: string;
  /** Adds funds through the sandbox's own endpoint. */
  fund(): Promise<void>;
  /** Buys 1.5 g and returns the order from the service's reply. */
  buy(): Promise<Record<string, unknown>>;
  send(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface Door {
  readonly baseUrl: string;
  /** The port on this machine to which requests for the base URL are sent. */
  readonly port: number;
  /**
   * The file of the CA that signed the server's certificate. The certificate is always for localhost, even if
   * the base URL has another host.
   */
  readonly ca: string;
  readonly webhook: string;
  readonly gold: Gold;
}

const signRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });

/**
 * Onboards a partner by the operator's commands. openssl makes the partner's keys and certificate request.
 */
export async function onboardPartner(
  folder: string,
  { baseUrl, port, ca, webhook, gold }: Door,
): Promise<Partner> {
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, name);
  openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file("signing.key"));
  openssl("ec", "-in", file("signing.key"), "-pubout", "-out", file("signing.pem"));
  const created = await gold(
    "partner create --iban SA0380000000608010167519 --ip 127.0.0.1/32 --name",
    ...["Example Bank", "--webhook", webhook, "--signing-key", file("signing.pem")],
  ) as { client_id: string; client_secret: string; webhook_secret: string };
  openssl(
    ...["req", "-new", "-utf8", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...[
      "-keyout",
      file("tls.key"),
      "-subj",
      `/O=Example Bank/CN=${created.client_id}`,
      "-out",
      file("tls.csr"),
    ],
  );
  await gold(`cert issue ${created.client_id}`, "--csr", file("tls.csr"), "--out", file("tls.crt"));

  const tls = {
    ca: readFileSync(ca),
    cert: readFileSync(file("tls.crt")),
    key: readFileSync(file("tls.key")),
  };
  const signer = keySigner(await importSigningKey(readFileSync(file("signing.key"), "utf8")));
  const { host } = new URL(baseUrl);
  const send: Partner["send"] = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const outgoing = request({
        ...{
          ...tls,
          host: "127.0.0.1",
          port,
          servername: "localhost",
          method,
          path,
          agent: false,
          timeout: 45_000,
        },
        headers: {
          Host: host,
          ...headers,
          ...(body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) }),
        },
      }, (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (part) => text += part).on("error", reject);
        reply.on("end", () => resolve({ status: reply.statusCode!, body: JSON.parse(text || "{}") }));
      });
      outgoing.on(
        "timeout",
        () => outgoing.destroy(new Error(`${method} ${path} got no answer within 45 s`)),
      );
      outgoing.on("error", reject).end(body);
    });
  const write = async (path: string, value: unknown, headers: Record<string, string>) => {
    const { status, body } = await send("POST", path, JSON.stringify(value), {
      "Content-Type": "application/json",
      "Idempotency-Key": randomUUID(),
      ...headers,
    });
    if (status !== 201) throw new Error(`POST ${path} got status ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const { client_id, client_secret, webhook_secret } = created;
  const authorize = async () => {
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
    const { body } = await send("POST", "/oauth/token", `${form}`, {
      "Content-Type": "application/x-www-form-urlencoded",
    });
    return { Authorization: `Bearer ${body.access_token}` };
  };
  return {
    clientId: client_id,
    folder,
    webhookSecret: webhook_secret,
    send,
    async fund() {
      await write("/sandbox/fund", { amount_sar: 10000 }, await authorize());
    },
    async buy() {
      const token = await authorize();
      const { quote_id } = await write("/v1/quotes", { side: "buy", gold_grams: 1.5 }, token);
      const signed = await signRequest({
        method: "POST",
        url: `${baseUrl}/v1/orders`,
        body: hostBytes.utf8(JSON.stringify({ quote_id })),
        timestamp: `${Math.floor(Date.now() / 1000)}`,
        nonce: randomUUID(),
      }, signer);
      return await write("/v1/orders", { quote_id }, { ...token, ...signed });
    },
  };
}

function openssl(...args: string[]): void {
  const { status, stderr, error } = spawnSync("openssl", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${error?.message ?? stderr}`);
}
