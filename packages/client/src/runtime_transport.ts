import { denoTransport } from "./deno_transport.ts";
import { nodeTransport } from "./node_transport.ts";
import type { TlsIdentity, Transport } from "./transport.ts";

/** HTTP over mutual TLS on this runtime, over connections that are kept. Wrap it to log or to reroute, and give it to GoldClient. */
export function openTransport(identity: TlsIdentity): Transport {
  return "Deno" in globalThis ? denoTransport(identity) : nodeTransport(identity);
}
