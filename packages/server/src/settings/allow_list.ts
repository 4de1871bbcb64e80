import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The hosts and addresses of the operator's own network to which the service may send requests. */
export interface AllowList {
  /** HOST:PORT with the host in a URL's normal form; an IPv6 address has no brackets. */
  readonly hosts: readonly string[];
  readonly ranges: readonly string[];
}

const HOST_AND_PORT = /^(\[[^\]]+\]|[^:[\]/@?#]+):([1-9][0-9]{0,4})$/;
const PORT_MAX = 65_535;

/**
 * Reads entries that are separated by spaces or commas: HOST:PORT, an address, or a range such as
 * 10.1.2.0/24.
 *
 * @throws Error. Its message has no subject, because the caller puts the setting's name in front of it.
 */
export function parseAllowList(text: string): AllowList {
  const hosts: string[] = [];
  const ranges: string[] = [];
  for (const entry of text.split(/[\s,]+/).filter((word) => word !== "")) {
    const range = readRange(entry);
    const host = readHost(entry);
    if (range) ranges.push(range);
    else if (host) hosts.push(host);
    else {
      throw new Error(
        `has "${entry}"; an entry must be HOST:PORT, an address or a range (10.1.2.0/24, fd00:1::/64).`,
      );
    }
  }
  return { hosts, ranges };
}

export const allowsHost = ({ hosts }: AllowList, hostname: string, port: number): boolean =>
  hosts.includes(`${hostname}:${port}`);

export function allowsAddress({ ranges }: AllowList, text: string): boolean {
  if (isIP(text) === 0 || text.includes("%")) return false;
  const address = ipaddr.parse(text);
  return ranges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range);
    return address.kind() === base.kind() && address.match([base, bits]);
  });
}

function readRange(entry: string): string | undefined {
  const [address = "", bits, ...rest] = entry.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || rest.length > 0) return undefined;
  const most = version === 4 ? 32 : 128;
  if (bits === undefined) return `${address}/${most}`;
  return /^(?:0|[1-9][0-9]{0,2})$/.test(bits) && Number(bits) <= most ? entry : undefined;
}

/** Returns the host in a URL's normal form, so that it can be compared with a URL's host. */
function readHost(entry: string): string | undefined {
  const [, host, port] = HOST_AND_PORT.exec(entry) ?? [];
  if (host === undefined || Number(port) > PORT_MAX || !URL.canParse(`https://${host}/`)) return undefined;
  return `${new URL(`https://${host}/`).hostname.replace(/^\[|\]$/g, "")}:${port}`;
}
