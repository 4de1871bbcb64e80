import { isIP } from "node:net";
import { isLoopback, whyForbidden } from "./forbidden_address.ts";
import type { ResolveHost } from "./resolve_host.ts";

/** What the deployment lets endpoints be. */
export interface Rules {
  readonly loopbackReceivers: boolean;
  readonly ports: readonly number[];
}

/** Where a request goes: every address was judged, and no other is connected to. */
export interface Destination {
  /** Whose connections may be used again for it: of this endpoint, to these addresses. */
  readonly key: string;
  /** As the receiver's certificate must have it. */
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly host: string;
  readonly path: string;
}

export type EndpointFault = "url_invalid" | "port_forbidden" | "address_forbidden" | "dns_failed";

export class EndpointError extends Error {
  override readonly name: string = "EndpointError";
  readonly code: EndpointFault;

  constructor(code: EndpointFault, message: string) {
    super(message);
    this.code = code;
  }
}

const URL_MAX_CHARACTERS = 2048;
const HTTPS_PORT = 443;
/** An IPv6 address, or labels of a name; an IPv4 address looks like one. */
const HOST_FORM = /^(?:\[.+\]|(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*)$/;
const LOCALHOST = /(?:^|\.)localhost$/;
/** No name server is asked for it: it is this machine's by definition. */
const LOCALHOST_ADDRESSES = ["127.0.0.1", "::1"];

/** Reads the URL and judges it, at registration as when it is sent to; rejects with an EndpointError. */
export async function findDestination(
  text: string,
  rules: Rules,
  resolve: ResolveHost,
): Promise<Destination> {
  const url = readUrl(text);
  const port = url.port === "" ? HTTPS_PORT : Number(url.port);
  const isPublicPort = rules.ports.includes(port);
  if (!isPublicPort && (!rules.loopbackReceivers || port === 0)) throw portForbidden(port, rules);
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = await findAddresses(hostname, resolve);
  for (const address of addresses) {
    const why = whyForbidden(address, rules.loopbackReceivers);
    if (why !== undefined) throw addressForbidden(hostname, address, why);
  }
  // Whoever may have receivers on the service's own machine may have them on any port of it.
  if (!isPublicPort && !addresses.every(isLoopback)) throw portForbidden(port, rules);
  return {
    key: `${url.href} ${addresses.toSorted()}`,
    hostname,
    addresses,
    port,
    host: url.host,
    path: `${url.pathname}${url.search}`,
  };
}

/** As the URL Standard reads it: 0x7f.1 and 127.0.0.1 are one host before anything is judged. */
function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || /[\s\p{Cc}]/u.test(text)) {
    throw urlInvalid("is no https URL: webhooks are sent over https alone.");
  }
  if (url.username || url.password) {
    throw urlInvalid("has user information: leave it out, the signature says who sends.");
  }
  if (text.includes("#")) throw urlInvalid("has a fragment, which is never sent: leave # and the rest out.");
  if (!HOST_FORM.test(url.hostname)) {
    throw urlInvalid("has a host that is neither a name, spelt without a dot at its end, nor an address.");
  }
  if (url.href.length > URL_MAX_CHARACTERS) {
    throw urlInvalid(`is longer than ${URL_MAX_CHARACTERS} characters.`);
  }
  return url;
}

async function findAddresses(hostname: string, resolve: ResolveHost): Promise<readonly string[]> {
  if (isIP(hostname) !== 0) return [hostname];
  if (LOCALHOST.test(hostname)) return LOCALHOST_ADDRESSES;
  const addresses = await resolve(hostname);
  if (addresses.length > 0) return addresses;
  throw new EndpointError("dns_failed", `The name servers tell no address of ${hostname}.`);
}

const urlInvalid = (why: string) => new EndpointError("url_invalid", `The webhook's URL ${why}`);

const portForbidden = (port: number, { ports }: Rules) =>
  new EndpointError(
    "port_forbidden",
    `The webhook's port is ${port}: webhooks are sent to ${ports.join(" or ")} alone.`,
  );

const addressForbidden = (hostname: string, address: string, why: string) =>
  new EndpointError(
    "address_forbidden",
    `The webhook's host ${
      hostname === address ? "is" : `${hostname} leads to`
    } ${address}, which is not public (${why}): give one that the internet reaches.`,
  );
