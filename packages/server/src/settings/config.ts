import { parseDocsUrl } from "@gold-partner/protocol";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import { checkDatabaseUrl } from "@gold-partner/database";
import { parseRetrySchedule, type RetrySchedule } from "./retry_schedule.ts";
import { isKeySource, type KeySource } from "./key_source.ts";
import { type AllowList, parseAllowList } from "./allow_list.ts";
import type { Role } from "./role.ts";
import { defaultOf, SETTINGS } from "./settings.ts";

export type Environment = "sandbox" | "production";
export type ListenAddress =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

/** The configuration of a process that serves no partners and only delivers webhooks. */
export interface DeliveryConfig {
  readonly environment: Environment;
  readonly publicBaseUrl: string;
  readonly operationsListen: ListenAddress;
  /** Where Prometheus reads the metrics from outside the pod; undefined if it cannot. */
  readonly metricsListen: ListenAddress | undefined;
  /** The login gold_delivery. */
  readonly deliveryDatabaseUrl: string;
  /** Whether an acknowledged write must also be on a standby. */
  readonly standby: boolean;
  /** The file with the newest hash of each chain; undefined if none is kept. */
  readonly headsFile: string | undefined;
  readonly sealingKeySource: KeySource;
  readonly webhookRetries: RetrySchedule;
  /** PEM of the certificate authority that is trusted for webhook receivers on loopback, and only there. */
  readonly webhookCa: string | undefined;
  /** IP:PORT of each name server. If empty, the system's name servers are used. */
  readonly webhookDns: readonly string[];
}

export interface Config extends DeliveryConfig {
  readonly role: ServingRole;
  /** The login gold_api. */
  readonly databaseUrl: string;
  /** The login gold_ticker. */
  readonly tickerDatabaseUrl: string;
  /** The file with the operators' first keys; undefined if the signatures of two people are not required. */
  readonly operatorKeys: string | undefined;
  /** Where the documentation is published; undefined if only this service has it. */
  readonly docsUrl: string | undefined;
  readonly listen: ListenAddress;
  /**
   * The secret that the proxy must send. Required on loopback TCP. A Unix socket is protected by its mode.
   */
  readonly proxySecret: string | undefined;
  readonly drainSeconds: number;
  /**
   * Hosts of internal price feeds. This is set in the environment, so that an operator who may set the feed's
   * URL cannot extend the list.
   */
  readonly priceSourceAllow: AllowList;
  readonly lanes: number;
  readonly pepperSource: KeySource;
}

type ServingRole = Exclude<Role, "delivery">;

const PORT_MAX = 65_535;
const DRAIN_MAX_SECONDS = 600;
const CERTIFICATE_BEGIN = "-----BEGIN CERTIFICATE-----";

type Variables = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {
  override readonly name: string = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    // Several settings can have the same default, and then report the same fault.
    const distinct = [...new Set(faults)];
    super(distinct.join("\n"));
    this.faults = distinct;
  }
}

/** Reads the configuration from the environment. Throws one ConfigError that lists all faults. */
export function readConfig(variables: Variables, role: ServingRole = "all"): Config {
  const reader = openReader(variables);
  const { faults, read, attempt } = reader;
  const config: Config = {
    ...readShared(reader),
    role,
    databaseUrl: readDatabaseUrl(reader, "DATABASE_URL"),
    tickerDatabaseUrl: readDatabaseUrl(reader, "TICKER_DATABASE_URL"),
    operatorKeys: attempt("OPERATOR_KEYS", parseFileOrOff("the file with the operators' first keys")),
    docsUrl: attempt("DOCS_URL", parseDocsUrl),
    listen: attempt("LISTEN", parseListen),
    proxySecret: read("PROXY_SECRET") || undefined,
    priceSourceAllow: attempt("PRICE_SOURCE_ALLOW", parseAllowList),
    drainSeconds: attempt("DRAIN_SECONDS", parseDrain),
    lanes: attempt("LANES", parseLanes),
    pepperSource: attempt("PEPPER_SOURCE", parseKeySource),
  };
  if (config.listen?.kind === "tcp") {
    if (config.environment === "production") {
      faults.push(
        "LISTEN must be a Unix socket in production: any process could use a TCP port to impersonate the proxy.",
      );
    } else if ((config.proxySecret ?? "").length < 32) {
      faults.push(
        "PROXY_SECRET must have at least 32 characters if LISTEN is TCP: without the secret, any process on this machine could send a partner's certificate hash.",
      );
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(config);
}

/** Reads the configuration of the role delivery, and ignores settings that only serving needs. */
export function readDeliveryConfig(variables: Variables): DeliveryConfig {
  const reader = openReader(variables);
  const config = readShared(reader);
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return Object.freeze(config);
}

interface Reader {
  readonly variables: Variables;
  readonly faults: string[];
  read(name: string): string;
  attempt<T>(name: string, parse: (text: string) => T): T;
}

function openReader(variables: Variables): Reader {
  const faults: string[] = [];
  const read = (name: string): string => {
    const setting = SETTINGS.find((one) => one.name === name);
    const value = variables[name] ?? (setting && defaultOf(setting, variables));
    if (value === undefined) faults.push(`${name} is missing: ${setting?.meaning}.`);
    return value ?? "";
  };
  const attempt = <T>(name: string, parse: (text: string) => T): T => {
    const text = read(name);
    try {
      return text === "" && faults.some((fault) => fault.startsWith(name)) ? undefined as T : parse(text);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      return undefined as T;
    }
  };
  return { variables, faults, read, attempt };
}

/**
 * Reads a login's URL. 0.4.0 used DATABASE_URL for everything, so that is the default of the other logins.
 */
const readDatabaseUrl = ({ attempt, variables }: Reader, name: string): string =>
  attempt(variables[name] ? name : "DATABASE_URL", (text) => checkDatabaseUrl(text, variables.GOLD_ENV));

const readShared = (reader: Reader, { attempt } = reader): DeliveryConfig => ({
  environment: attempt("GOLD_ENV", parseEnvironment),
  publicBaseUrl: attempt("PUBLIC_BASE_URL", parseBaseUrl),
  operationsListen: attempt("OPERATIONS_LISTEN", parseListen),
  metricsListen: attempt("METRICS_LISTEN", parseMetricsListen),
  deliveryDatabaseUrl: readDatabaseUrl(reader, "DELIVERY_DATABASE_URL"),
  standby: attempt("HA", parseSwitch),
  headsFile: attempt("HEADS_FILE", parseFileOrOff("the file of heads")),
  sealingKeySource: attempt("SEALING_KEY_SOURCE", parseKeySource),
  webhookRetries: attempt("WEBHOOK_RETRIES", parseRetrySchedule),
  webhookCa: attempt("WEBHOOK_CA", parseAuthorityFile),
  webhookDns: attempt("WEBHOOK_DNS", parseNameServers),
});

function parseEnvironment(text: string): Environment {
  if (text === "sandbox" || text === "production") return text;
  throw new Error(`is "${text}"; it must be sandbox or production.`);
}

/** Accepts a base URL in only one spelling, because partners sign the URL. */
export function parseBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error(`must be a URL such as https://api.example; got "${text}".`);
  }
  const canonical = `${url.protocol}//${url.host}`;
  if (url.protocol !== "https:" || text !== canonical) {
    throw new Error(
      `must be spelt as partners sign it: https, lower-case host, no default port, path or trailing slash${
        url.protocol === "https:" ? ` (${canonical})` : ""
      }; got "${text}".`,
    );
  }
  return text;
}

function parseListen(text: string): ListenAddress {
  if (text.startsWith("unix:") && text.length > "unix:".length) {
    return { kind: "unix", path: text.slice("unix:".length) };
  }
  const tcp = /^(127\.0\.0\.1|\[::1\]):([0-9]{1,5})$/.exec(text);
  if (!tcp || Number(tcp[2]) > PORT_MAX) {
    throw new Error(
      `must be unix:PATH, 127.0.0.1:PORT or [::1]:PORT, so that other machines cannot connect directly; got "${text}".`,
    );
  }
  return { kind: "tcp", host: tcp[1] === "[::1]" ? "::1" : "127.0.0.1", port: Number(tcp[2]) };
}

function parseMetricsListen(text: string): ListenAddress | undefined {
  if (text === "off") return undefined;
  const [, v6, v4, port] = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = v6 ?? v4;
  if (!host || isIP(host) !== (v6 ? 6 : 4) || Number(port) > PORT_MAX) {
    throw new Error(`must be IP:PORT, such as 0.0.0.0:9466 or [::]:9466, or off; got "${text}".`);
  }
  return { kind: "tcp", host, port: Number(port) };
}

function parseDrain(text: string): number {
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(text) || Number(text) > DRAIN_MAX_SECONDS) {
    throw new Error(`must be a whole number of seconds from 0 to ${DRAIN_MAX_SECONDS}; got "${text}".`);
  }
  return Number(text);
}

function parseLanes(text: string): number {
  if (!/^[1-8]$/.test(text)) throw new Error(`must be a whole number from 1 to 8; got "${text}".`);
  return Number(text);
}

const parseFileOrOff = (file: string) => (text: string): string | undefined => {
  if (text === "off" || isAbsolute(text)) return text === "off" ? undefined : text;
  throw new Error(`must be the absolute path of ${file}, or off; got "${text}".`);
};

function parseSwitch(text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw new Error(`is "${text}"; it must be on or off.`);
}

/**
 * Checks each certificate. TLS would silently ignore a broken one, and then trust no receiver on loopback.
 */
function parseAuthorityFile(path: string): string | undefined {
  if (path === "") return undefined;
  const refuse = (why: string): never => {
    throw new Error(
      `is ${path}, which ${why}: give a PEM file of the authority's certificate, or leave it unset.`,
    );
  };
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return refuse(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const [, ...certificates] = text.split(CERTIFICATE_BEGIN);
  if (certificates.length === 0) return refuse("has no certificate");
  const broken = certificates.findIndex((rest) => !isCertificate(CERTIFICATE_BEGIN + rest));
  if (broken < 0) return text;
  return refuse(`has a broken certificate (number ${broken + 1} of ${certificates.length})`);
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}

function parseNameServers(text: string): readonly string[] {
  const servers = text.split(" ").filter((word) => word !== "");
  for (const server of servers) {
    const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]{1,5})$/.exec(server) ?? [];
    const isAddress = isIP(v6 ?? "") === 6 || isIP(v4 ?? "") === 4;
    if (isAddress && Number(port) > 0 && Number(port) <= PORT_MAX) continue;
    throw new Error(`has "${server}"; a name server must be an IP address and port, such as 192.0.2.1:53.`);
  }
  return servers;
}

function parseKeySource(text: string): KeySource {
  if (!isKeySource(text)) throw new Error("must be file:PATH or command:PROGRAM, never the key itself.");
  return text;
}

/** Adds the setting's name to the message of an error at start. */
export async function about<T>(setting: string, act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (error) {
    throw new Error(`${setting}: ${(error as Error).message}`, { cause: error });
  }
}
