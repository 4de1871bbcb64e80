import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { Refusal } from "../../refusal.ts";
import type { ClientCertificate } from "./client_certificate.ts";

type Address = ReturnType<typeof ipaddr.process>;
type Range = readonly [Address, number];

const ranges = new WeakMap<readonly string[], readonly Range[]>();

/** The address that the proxy saw must be in one of the partner's ranges; a partner without any may not enter. */
export function admitIp(certificate: ClientCertificate, address: string | undefined): void {
  const { ips } = certificate.partner;
  // isIP() is the strict one: ipaddr.js also reads 127.1 and 0x7f000001.
  if (address === undefined || isIP(address) === 0) {
    throw new Refusal("ip_not_allowed", "The proxy forwarded no client address.");
  }
  // process() turns an IPv4 address that is mapped into IPv6 into the IPv4 address that it is.
  const client = ipaddr.process(address);
  const allowed = rangesOf(ips).some(([network, bits]) =>
    client.kind() === network.kind() && client.match(network, bits)
  );
  if (!allowed) {
    throw new Refusal(
      "ip_not_allowed",
      `The request came from ${client.toString()}, which is not registered for you.`,
    );
  }
}

function rangesOf(ips: readonly string[]): readonly Range[] {
  let parsed = ranges.get(ips);
  if (!parsed) ranges.set(ips, parsed = ips.map((text) => ipaddr.parseCIDR(text)));
  return parsed;
}
