import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { Refusal } from "../../refusal.ts";
import type { ClientCertificate } from "./client_certificate.ts";

type Address = ReturnType<typeof ipaddr.process>;
type Range = readonly [Address, number];

interface Known {
  readonly ranges: readonly Range[];
  /** Most partners come from one address. */
  lastAllowed?: string;
}

const knownOf = new WeakMap<readonly string[], Known>();

/** The address that the proxy saw must be in one of the partner's ranges; a partner without any may not enter. */
export function admitIp(certificate: ClientCertificate, address: string | undefined): void {
  const { ips } = certificate.partner;
  const known = know(ips);
  if (address !== undefined && address === known.lastAllowed) return;
  // isIP() is the strict one: ipaddr.js also reads 127.1 and 0x7f000001.
  if (address === undefined || isIP(address) === 0) {
    throw new Refusal("ip_not_allowed", "The proxy forwarded no client address.");
  }
  // process() turns an IPv4 address that is mapped into IPv6 into the IPv4 address that it is.
  const client = ipaddr.process(address);
  const allowed = known.ranges.some(([network, bits]) =>
    client.kind() === network.kind() && client.match(network, bits)
  );
  if (!allowed) {
    throw new Refusal(
      "ip_not_allowed",
      `The request came from ${client.toString()}, which is not registered for you.`,
    );
  }
  known.lastAllowed = address;
}

/** A list never changes: another one takes its place. */
function know(ips: readonly string[]): Known {
  let known = knownOf.get(ips);
  if (!known) knownOf.set(ips, known = { ranges: ips.map((text) => ipaddr.parseCIDR(text)) });
  return known;
}
