import type { Address, AddressRange } from "../settings.ts";
import type { Message } from "./any.ts";

export function socketAddress(address: Address): Message {
  if (address.kind === "unix") return { pipe: { path: address.path } };
  return { socket_address: { address: address.host, port_value: address.port } };
}

export const cidrRange = ({ prefix, bits }: AddressRange): Message => ({
  address_prefix: prefix,
  prefix_len: bits,
});
