import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ReturnType<typeof ipaddr.parse>;

/** Azure's platform service, the one of its kind that lies amid public addresses; the others' ranges are refused as a whole. */
const PLATFORM_ADDRESS = "168.63.129.16";
/** All that IANA gives out as global unicast; ipaddr.js calls whatever it does not know unicast, too. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Why nothing may be sent there, in a word; undefined for a public address. An IPv6 address that carries an IPv4 one is
 * refused whatever it carries: a gateway on the way could take it for that other address.
 */
export function whyForbidden(text: string, loopbackReceivers: boolean): string | undefined {
  // isIP() is the strict one: ipaddr.js also reads 127.1 and 0x7f000001. A zone would choose the interface.
  if (isIP(text) === 0 || text.includes("%")) return "no address";
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

/** RFC 5214: an IPv4 address in the interface identifier, behind 0:5efe, or 200:5efe where it is said to be global. */
const isIsatap = ([, , , , high = 0, low]: readonly number[]) => (high & ~0x200) === 0 && low === 0x5efe;
