import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { Refusal } from "../../http/refusal.ts";
import type { ClientCertificate } from "./client_certificate.ts";

type Address = ReturnType<typeof ipaddr.process>;
type Range = readonly [Address, number];

interface Parsed {
  readonly ranges: readonly Range[];
  /**
   * The last address that passed. A request from the same address skips the check. Most partners use only one
   * address.
   */
  lastAllowed?: string;
}

const parsedOf = new WeakMap<readonly string[], Parsed>();

/**
 * Admits the client address that the proxy forwarded if one of the partner's ranges contains it. A partner
 * without ranges is always refused.
 */
export function admitIp(certificate: ClientCertificate, address: string | undefined): void {
  const { ips } = certificate.partner;
  const parsed = parse(ips);
  if (address !== undefined && address === parsed.lastAllowed) return;
  // Check with isIP(), because ipaddr.js also accepts 127.1 and 0x7f000001.
  if (address === undefined || isIP(address) === 0) {
    throw new Refusal("ip_not_allowed", "The proxy forwarded no valid client address.");
  }
  // process() converts an IPv4-mapped IPv6 address to its IPv4 address.
  const client = ipaddr.process(address);
  const allowed = parsed.ranges.some(([network, bits]) =>
    client.kind() === network.kind() && client.match(network, bits)
  );
  if (!allowed) {
    throw new Refusal(
      "ip_not_allowed",
      `The request came from ${client.toString()}, which is not registered for you. Send from a registered address, or ask the operator to register this one.`,
    );
  }
  parsed.lastAllowed = address;
}

/**
 * Parses each list once. The cache key is the list object, because a list never changes: a new snapshot has
 * new lists.
 */
function parse(ips: readonly string[]): Parsed {
  let parsed = parsedOf.get(ips);
  if (!parsed) parsedOf.set(ips, parsed = { ranges: ips.map((text) => ipaddr.parseCIDR(text)) });
  return parsed;
}
