import { denoTransport } from "./deno_transport.ts";
import { nodeTransport } from "./node_transport.ts";
import type { TlsIdentity, Transport } from "./transport.ts";

/**
 * Opens the transport of this runtime: HTTP over mutual TLS, with connections that are kept open. Wrap it to
 * log or to reroute requests, and give the wrapper to GoldClient as its `transport`.
 *
 * @param identity The certificate, its key and the CAs to trust, as PEM texts.
 * @throws Error when a PEM text is invalid or the key does not belong to the certificate.
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { dirname, resolve } from "node:path";
 * import { GoldClient, openTransport, type Transport } from "@gold-partner/client";
 *
 * const path = process.env.GOLD_CREDENTIALS!;
 * const files = JSON.parse(await readFile(path, "utf8"));
 * const pemOf = (name: string) => readFile(resolve(dirname(path), files[name]), "utf8");
 * const own = openTransport({ cert: await pemOf("cert"), key: await pemOf("key"), ca: await pemOf("ca") });
 * const logged: Transport = {
 *   send(request) {
 *     console.log(request.method, request.url);
 *     return own.send(request);
 *   },
 *   close: () => own.close(),
 * };
 * const client = await GoldClient.fromEnv(process.env, { transport: logged });
 * await client.getHealth();
 * client.close();
 * ```
 */
export function openTransport(identity: TlsIdentity): Transport {
  return "Deno" in globalThis ? denoTransport(identity) : nodeTransport(identity);
}
