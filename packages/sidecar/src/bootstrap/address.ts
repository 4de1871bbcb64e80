import type { SidecarConfig } from "../settings.ts";
import type { Address, AddressRange } from "../settings_values.ts";
import type { Message } from "./any.ts";

export function socketAddress(address: Address): Message {
  if (address.kind === "unix") return { pipe: { path: address.path } };
  return { socket_address: { address: address.host, port_value: address.port } };
}

export const cidrRange = ({ prefix, bits }: AddressRange): Message => ({
  address_prefix: prefix,
  prefix_len: bits,
});

/**
 * The addresses that may tell Envoy the client's address by PROXY protocol. If HAProxy runs in front, that is
 * only loopback: HAProxy passes on the address that a load balancer announced.
 */
export function announcersOf({ front, proxyProtocolFrom }: SidecarConfig): readonly AddressRange[] {
  return front ? [{ prefix: "127.0.0.1", bits: 32 }, { prefix: "::1", bits: 128 }] : proxyProtocolFrom;
}
