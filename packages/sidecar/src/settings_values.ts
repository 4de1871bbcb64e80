import { readFileSync } from "node:fs";
import { isIP } from "node:net";

/**
 * The values of settings, and one parser for each kind. The message of a parser's error is the end of a
 * sentence: the caller puts the setting's name in front of it.
 */

export type Environment = "sandbox" | "production";

export interface TcpAddress {
  readonly kind: "tcp";
  readonly host: string;
  readonly port: number;
}

export interface UnixAddress {
  readonly kind: "unix";
  readonly path: string;
}

export type Address = UnixAddress | TcpAddress;

/** One process of the service: its address for requests, and its address for readiness checks. */
export interface Upstream {
  readonly server: Address;
  readonly operations: Address | undefined;
}

/** A range of IP addresses. */
export interface AddressRange {
  readonly prefix: string;
  readonly bits: number;
}

/** The maximum length of a Unix socket's path on Linux. */
const SOCKET_PATH_MAX_BYTES = 107;
const PORT_MAX = 65_535;
const COUNT_MAX = 1_000_000;
const PROXY_SECRET_MIN_CHARACTERS = 32;

export const list = (text: string): string[] => text.split(",").map((one) => one.trim());

export function distinct(texts: readonly string[]): readonly string[] {
  const twice = texts.find((text, index) => texts.indexOf(text) !== index);
  if (twice !== undefined) throw new Error(`lists "${twice}" twice; list it once.`);
  return texts;
}

export function parseEnvironment(text: string): Environment {
  if (text === "sandbox" || text === "production") return text;
  throw new Error(`is "${text}"; it must be sandbox or production.`);
}

/** The service checks the base URL more strictly, because partners sign it. */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && text === url.origin) return text;
  throw new Error(`is "${text}"; it must be https:// and a lower-case host, such as https://api.example.`);
}

export function parseTcp(text: string): TcpAddress {
  const [, v6, other, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = v6 ?? other ?? "";
  if (isIP(host) !== (v6 === undefined ? 4 : 6) || Number(port) > PORT_MAX) {
    throw new Error(`has "${text}"; an address must be like 0.0.0.0:8443 or [::]:8443.`);
  }
  return { kind: "tcp", host, port: Number(port) };
}

/** Accepts only an address that other machines cannot reach. */
function parseLocal(text: string): Address {
  if (/^unix:\/./.test(text)) return parseSocket(text);
  if (/^(127\.0\.0\.1|\[::1\]):/.test(text)) return parseTcp(text);
  throw new Error(
    `has "${text}"; it must be unix:/PATH, 127.0.0.1:PORT or [::1]:PORT, which only this machine can reach.`,
  );
}

export function parseSocket(text: string): UnixAddress {
  const path = text.slice("unix:".length);
  if (!/^unix:\/./.test(text)) throw new Error(`has "${text}"; it must be unix:/PATH.`);
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES) return { kind: "unix", path };
  throw new Error(`has "${path}"; a socket's path may have at most ${SOCKET_PATH_MAX_BYTES} bytes.`);
}

export function parseLoopback(text: string): TcpAddress {
  const address = parseLocal(text);
  if (address.kind === "tcp") return address;
  throw new Error(
    `has "${text}"; it must be 127.0.0.1:PORT or [::1]:PORT, which only this machine can reach.`,
  );
}

export function parseUpstream(text: string): Upstream {
  const [server = "", operations, ...rest] = text.split("|");
  if (rest.length > 0) {
    throw new Error(`has "${text}"; an upstream must be unix:SERVER_SOCKET|unix:OPERATIONS_SOCKET.`);
  }
  return {
    server: parseLocal(server),
    operations: operations === undefined ? undefined : parseLocal(operations),
  };
}

export function readSecret(path: string): string | undefined {
  if (path === "") return undefined;
  const secret = readFileSync(path, "utf8").trim();
  if (!/^[!-~]+$/.test(secret) || secret.length < PROXY_SECRET_MIN_CHARACTERS) {
    throw new Error(`must contain at least ${PROXY_SECRET_MIN_CHARACTERS} visible ASCII characters.`);
  }
  return secret;
}

export function parsePath(text: string): string {
  if (text.startsWith("/")) return text;
  throw new Error(`is "${text}"; it must be an absolute path.`);
}

export function parseRange(text: string): AddressRange {
  const [prefix = "", bits = "", ...rest] = text.split("/");
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(prefix)] ?? -1;
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) {
    throw new Error(`has "${text}"; a range must be like 10.0.0.0/8.`);
  }
  return { prefix, bits: Number(bits) };
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (/^[1-9]\d{0,6}$/.test(text) && count <= COUNT_MAX) return count;
  throw new Error(`is "${text}"; it must be a whole number from 1 to ${COUNT_MAX}.`);
}
