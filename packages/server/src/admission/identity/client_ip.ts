import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { Refusal } from "../../http/refusal.ts";
import type { ClientCertificate } from "./client_certificate.ts";

type Address = ReturnType<typeof ipaddr.process>;
type Range = readonly [Address, number];

interface Known {
  readonly ranges: readonly Range[];
  /**
   * The last address that passed. A request from the same address skips the check. Most partners use only one
   * address.
   */
  lastAllowed?: string;
}

const knownOf = new WeakMap<readonly string[], Known>();

/**
 * Admits the client address that the proxy forwarded if one of the partner's ranges contains it. A partner
 * without ranges is always refused.
 */
export function admitIp(certificate: ClientCertificate, address: string | undefined): void {
  const { ips } = certificate.partner;
  const known = know(ips);
  if (address !== undefined && address === known.lastAllowed) return;
  // Check with isIP(), because ipaddr.js also accepts 127.1 and 0x7f000001.
  if (address === undefined || isIP(address) === 0) {
    throw new Refusal("ip_not_allowed", "The proxy forwarded no valid client address.");
  }
  // process() converts an IPv4-mapped IPv6 address to its IPv4 address.
  const client = ipaddr.process(address);
  const allowed = known.ranges.some(([network, bits]) =>
    client.kind() === network.kind() && client.match(network, bits)
  );
  if (!allowed) {
    throw new Refusal(
      "ip_not_allowed",
      `The request came from ${client.toString()}, which is not registered for you. Send from a registered address, or ask the operator to register this one.`,
    );
  }
  known.lastAllowed = address;
}

/**
 * Parses each list once. The cache key is the list object, because a list never changes: a new snapshot has
 * new lists.
 */
function know(ips: readonly string[]): Known {
  let known = knownOf.get(ips);
  if (!known) knownOf.set(ips, known = { ranges: ips.map((text) => ipaddr.parseCIDR(text)) });
  return known;
}
