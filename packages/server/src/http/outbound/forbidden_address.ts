import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ReturnType<typeof ipaddr.parse>;

/**
 * Azure's platform service. It needs a separate entry, because its address lies between public addresses.
 * The platform addresses of other clouds lie in ranges that are refused as a whole.
 */
const PLATFORM_ADDRESS = "168.63.129.16";
/**
 * The block from which IANA assigns global unicast addresses. ipaddr.js is not enough, because it also calls
 * unknown ranges unicast.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns a short reason why nothing may be sent to the address, or undefined for a public address. An IPv6
 * address that embeds an IPv4 address is always refused, because a gateway on the path could send to the
 * embedded address.
 */
export function whyForbidden(text: string, loopbackReceivers: boolean): string | undefined {
  // Check with isIP(), because ipaddr.js also accepts 127.1 and 0x7f000001. Refuse a zone (after %), which
  // would select a network interface.
  if (isIP(text) === 0 || text.includes("%")) return "not an IP address";
  const address = ipaddr.parse(text);
  const range = rangeOf(address);
  if (range === "unicast") return `${address}` === PLATFORM_ADDRESS ? "a cloud platform's own" : undefined;
  return range === "loopback" && loopbackReceivers ? undefined : range;
}

export const isLoopback = (text: string): boolean => ipaddr.parse(text).range() === "loopback";

function rangeOf(address: Address): string {
  const range = address.range();
  if (address instanceof ipaddr.IPv4 || range !== "unicast") return range;
  if (!address.match(GLOBAL_UNICAST)) return "not global unicast";
  return isIsatap(address.parts) ? "isatap" : range;
}

/**
 * RFC 5214: the interface identifier is 0:5efe, or 200:5efe for a globally unique address, and then an IPv4
 * address.
 */
const isIsatap = ([, , , , high = 0, low]: readonly number[]) => (high & ~0x200) === 0 && low === 0x5efe;
