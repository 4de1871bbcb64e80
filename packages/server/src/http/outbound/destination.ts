import { isIP } from "node:net";
import { type AllowList, allowsAddress, allowsHost } from "../../settings/allow_list.ts";
import { isLoopback, whyForbidden } from "./forbidden_address.ts";
import type { ResolveHost } from "./resolve_host.ts";

/** The endpoints that the deployment permits. */
export interface Rules {
  readonly loopbackReceivers: boolean;
  readonly ports: readonly number[];
  /** Internal hosts and addresses that are allowed. They may also use http, and ports other than `ports`. */
  readonly allow?: AllowList;
  /** How messages name the endpoint; a webhook by default. */
  readonly subject?: Subject;
}

interface Subject {
  /** The possessive that begins each message, such as "The webhook's". */
  readonly owner: string;
  /** The last sentence of a refusal. It says where the operator can permit the address. */
  readonly exception?: string;
}

const NOTHING: AllowList = { hosts: [], ranges: [] };
const WEBHOOK: Subject = { owner: "The webhook's" };

/** Where a request goes. Every address was checked; do not connect to any other. */
export interface Destination {
  /** False for http, which only an allow list permits. */
  readonly secure: boolean;
  /** Connections may be reused only for the same key: the same endpoint and addresses. */
  readonly key: string;
  /** The name or address that the receiver's certificate must contain. */
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
const HTTP_PORT = 80;
/** An IPv6 address in brackets, or the labels of a name. An IPv4 address matches as a name. */
const HOST_FORM = /^(?:\[.+\]|(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*)$/;
const LOCALHOST = /(?:^|\.)localhost$/;
/** localhost is never looked up in DNS: it means this machine by definition. */
const LOCALHOST_ADDRESSES = ["127.0.0.1", "::1"];

/** Checks the URL, and resolves and checks its host. Rejects with an EndpointError. */
export async function findDestination(
  text: string,
  rules: Rules,
  resolve: ResolveHost,
): Promise<Destination> {
  const url = readUrl(text, rules);
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? HTTPS_PORT : HTTP_PORT) : Number(url.port);
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const { allow = NOTHING, loopbackReceivers } = rules;
  const isListed = allowsHost(allow, hostname, port);
  const isExempt = (address: string) =>
    isListed || allowsAddress(allow, address) || (loopbackReceivers && isLoopback(address));
  const isOrdinary = secure && rules.ports.includes(port);
  const mayBeExempt = isListed || allow.ranges.length > 0 || loopbackReceivers;
  const refuse = () => secure ? portForbidden(port, rules) : notHttps(rules);
  if (!isOrdinary && (!mayBeExempt || port === 0)) throw refuse();
  const addresses = await findAddresses(hostname, resolve);
  for (const address of addresses) {
    const why = isExempt(address) ? undefined : whyForbidden(address, loopbackReceivers);
    if (why !== undefined) throw addressForbidden(hostname, address, why, rules);
  }
  // With http, or with a port that is not in `ports`, every address of the host must be exempt.
  if (!isOrdinary && !addresses.every(isExempt)) throw refuse();
  return {
    key: `${url.href} ${addresses.toSorted()}`,
    secure,
    hostname,
    addresses,
    port,
    host: url.host,
    path: `${url.pathname}${url.search}`,
  };
}

/**
 * Parses the URL as the URL Standard does, so that spellings such as 0x7f.1 become 127.0.0.1 before any
 * check.
 */
function readUrl(text: string, rules: Rules): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === "http:" && rules.allow !== undefined;
  if (!url || !(url.protocol === "https:" || isHttp) || /[\s\p{Cc}]/u.test(text)) throw notHttps(rules);
  if (url.username || url.password) throw urlInvalid("contains a user name or password: remove it.", rules);
  if (text.includes("#")) {
    throw urlInvalid("has a fragment, which is never sent: remove # and everything after it.", rules);
  }
  if (!HOST_FORM.test(url.hostname)) {
    throw urlInvalid(
      "has an invalid host: give a name without a trailing dot, or an IP address.",
      rules,
    );
  }
  if (url.href.length > URL_MAX_CHARACTERS) {
    throw urlInvalid(`is longer than ${URL_MAX_CHARACTERS} characters.`, rules);
  }
  return url;
}

async function findAddresses(hostname: string, resolve: ResolveHost): Promise<readonly string[]> {
  if (isIP(hostname) !== 0) return [hostname];
  if (LOCALHOST.test(hostname)) return LOCALHOST_ADDRESSES;
  const addresses = await resolve(hostname);
  if (addresses.length > 0) return addresses;
  throw new EndpointError("dns_failed", `DNS has no address for ${hostname}.`);
}

const refusal = (code: EndpointFault, what: string, { subject: { owner, exception } = WEBHOOK }: Rules) =>
  new EndpointError(code, `${owner} ${what}${exception === undefined ? "" : ` ${exception}`}`);

const urlInvalid = (why: string, rules: Rules) => refusal("url_invalid", `URL ${why}`, rules);

const notHttps = (rules: Rules) => urlInvalid("must be an https URL.", rules);

const portForbidden = (port: number, rules: Rules) =>
  refusal("port_forbidden", `port is ${port}: it must be ${rules.ports.join(" or ")}.`, rules);

const addressForbidden = (hostname: string, address: string, why: string, rules: Rules) =>
  refusal(
    "address_forbidden",
    `host ${
      hostname === address ? "is" : `${hostname} resolves to`
    } ${address}, which is not public (${why}): give a host with public addresses only.`,
    rules,
  );
