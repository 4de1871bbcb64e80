import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

const RANGE_FORM = /^([0-9A-Fa-f:.]+)(?:\/(0|[1-9][0-9]{0,2}))?$/;
/** The number of bits before the IPv4 address in an IPv4-mapped IPv6 address. */
const MAPPED_BITS = 96;

/**
 * Reads a partner's address or range. Returns it as a range in its usual spelling.
 *
 * @throws Error. Its message has no subject, because the caller puts the name of the value in front of it.
 */
export function parseRange(text: string): string {
  const [, spelling = "", given] = RANGE_FORM.exec(text) ?? [];
  // Check the spelling with isIP() first, because ipaddr.js also accepts 127.1 and 010.0.0.1, which other
  // programs read as different addresses.
  const version = isIP(spelling);
  const addressBits = version === 4 ? 32 : 128;
  const bits = Number(given ?? addressBits);
  if (version === 0 || bits > addressBits) {
    throw new Error(
      `must be an IP address or a CIDR range such as 203.0.113.0/24 or 2001:db8::/32; got ${text}.`,
    );
  }
  const family = version === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  // ipaddr.js would read ::1.2.3.4 as the mapped address ::ffff:1.2.3.4. URL writes such an end as two hexadecimal groups.
  const address = version === 4 ? spelling : new URL(`http://[${spelling}]`).hostname.slice(1, -1);
  const network = family.networkAddressFromCIDR(`${address}/${bits}`);
  if (`${network}` !== `${family.parse(address)}`) {
    throw new Error(
      `${text} has host bits set. For one address, leave out the prefix length. For the range, give ${network}/${bits}.`,
    );
  }
  return network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= MAPPED_BITS
    ? `${network.toIPv4Address()}/${bits - MAPPED_BITS}`
    : `${network}/${bits}`;
}
