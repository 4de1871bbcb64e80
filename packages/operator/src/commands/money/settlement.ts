import { parseIban } from "@gold-partner/protocol";
import { type Environment, isKeySource, type KeySource, parseBaseUrl, readKeys } from "@gold-partner/server";
import type { Invocation, Values } from "../../command.ts";
import { usage } from "../../failure.ts";
import { keyEnvironment } from "../../key_environment.ts";
import { checkSource, type KeyName } from "../../key_file.ts";
import {
  line,
  oneOf,
  optional,
  parsed,
  parsedRequired,
  repeated,
  required,
  spanSeconds,
  wholeNumber,
} from "../../values.ts";
import type { Limits } from "../../database.ts";
import { LIMIT_NAMES, readLimits } from "../partners/partner_limits.ts";
import { readRate } from "../partners/partner_terms.ts";

/**
 * The settings that a migration stores. The options of each part must be given together or left out together,
 * except some limits.
 */
export interface Settlement {
  readonly deployment: Deployment | undefined;
  /** The rate and burst of partners that are created without these options. */
  readonly defaults: { readonly rate: number; readonly burst: number } | undefined;
  /** The limits of partners that are created without these options. */
  readonly limits: Limits | undefined;
  /** The number of the vault's stripes. */
  readonly stripes: number | undefined;
  /** The operator's bank account, from which withdrawals are paid. */
  readonly account: { readonly name: string; readonly iban: string; readonly bic: string } | undefined;
}

/** The deployment that the database belongs to, and its settings. An undefined setting keeps its value. */
interface Deployment {
  readonly environment: Environment;
  readonly baseUrl: string;
  readonly loopbackReceivers: boolean;
  readonly pepper: KeySource;
  readonly sealingKey: KeySource;
  /** Requests per second that the proxy allows for one certificate. */
  readonly flood: number | undefined;
  /** The ports that webhooks may be sent to. */
  readonly webhookPorts: readonly number[] | undefined;
  /** How long the attempts to deliver an event are kept. */
  readonly attemptsKeptDays: number | undefined;
}

const PORT_MAX = 65_535;
const PORTS_MAX = 32;
const ATTEMPTS_KEPT_MIN_DAYS = 7;
const ATTEMPTS_KEPT_MAX_DAYS = 3650;
const DAY_SECONDS = 86_400;

const DEPLOYMENT_OPTIONS = [
  ...["env", "base-url", "pepper", "sealing-key", "loopback-receivers", "flood"],
  ...["webhook-port", "attempts-kept"],
];

type Given = Pick<Invocation, "values" | "keys" | "env">;

export async function readSettlement(given: Given): Promise<Settlement> {
  const { values } = given;
  const gives = (...names: string[]) => names.some((name) => values[name] !== undefined);
  return {
    deployment: gives(...DEPLOYMENT_OPTIONS) ? await readDeployment(given) : undefined,
    defaults: gives("rate", "burst")
      ? {
        rate: readRate(required(values, "rate")),
        burst: wholeNumber(required(values, "burst"), "burst"),
      }
      : undefined,
    limits: gives(...LIMIT_NAMES) ? readDefaultLimits(values) : undefined,
    stripes: parsed(values, "vault-stripes", (text) => wholeNumber(text, "vault-stripes")),
    account: gives("payout-name", "payout-iban", "payout-bic")
      ? {
        name: line(values, "payout-name"),
        iban: parsedRequired(values, "payout-iban", parseIban),
        bic: readBic(required(values, "payout-bic")),
      }
      : undefined,
  };
}

/** These limits are given together; the other ones can be given alone. */
const LIMITS_TOGETHER = ["open-quotes", "open-grams", "daily-records"];

function readDefaultLimits(values: Values): Limits {
  if (LIMITS_TOGETHER.some((name) => values[name] !== undefined)) {
    for (const name of LIMITS_TOGETHER) required(values, name);
  }
  return readLimits(values);
}

async function readDeployment(given: Given): Promise<Deployment> {
  const { values } = given;
  const environment = oneOf(required(values, "env"), "env", ["sandbox", "production"]);
  const loopbackReceivers = values["loopback-receivers"] === true;
  if (environment === "production" && loopbackReceivers) {
    throw usage(
      "--loopback-receivers is only for a sandbox: in production, events would be sent to this machine.",
    );
  }
  return {
    environment,
    baseUrl: readBaseUrl(required(values, "base-url")),
    loopbackReceivers,
    pepper: await readSource(given, "pepper", "pepper"),
    sealingKey: await readSource(given, "sealing-key", "sealing_key"),
    flood: parsed(values, "flood", (text) => wholeNumber(text, "flood")),
    webhookPorts: values["webhook-port"] === undefined
      ? undefined
      : readPorts(repeated(values, "webhook-port")),
    attemptsKeptDays: parsed(values, "attempts-kept", readKeptDays),
  };
}

/**
 * Returns the ports sorted and without repeats, so that the same ports in another order do not count as a
 * change.
 */
function readPorts(listed: readonly string[]): number[] {
  const ports = listed.map((text) => wholeNumber(text, "webhook-port"));
  const beyond = ports.find((port) => port > PORT_MAX);
  if (beyond !== undefined) throw usage(`--webhook-port must be at most ${PORT_MAX}; got ${beyond}.`);
  const each = [...new Set(ports)].sort((one, other) => one - other);
  if (each.length > PORTS_MAX) {
    throw usage(`--webhook-port can name at most ${PORTS_MAX} ports; got ${each.length}.`);
  }
  return each;
}

/**
 * Reads for how many days delivery attempts are kept. The minimum is 7 days: an event is retried for days,
 * and its attempts must stay visible after the last retry.
 */
function readKeptDays(text: string): number {
  const days = spanSeconds(text, "attempts-kept") / DAY_SECONDS;
  if (Number.isInteger(days) && days >= ATTEMPTS_KEPT_MIN_DAYS && days <= ATTEMPTS_KEPT_MAX_DAYS) return days;
  throw usage(
    `--attempts-kept must be ${ATTEMPTS_KEPT_MIN_DAYS}d to ${ATTEMPTS_KEPT_MAX_DAYS}d in whole days; got ${text}.`,
  );
}

/** Reads the base URL with the service's own rule. The service would refuse any other spelling. */
function readBaseUrl(text: string): string {
  try {
    return parseBaseUrl(text);
  } catch (error) {
    throw usage(`--base-url ${(error as Error).message}`);
  }
}

/** Reads the source's keys once, so that no file names a source without keys. */
async function readSource({ values, keys, env }: Given, name: string, keyName: KeyName): Promise<KeySource> {
  // Read the key file even if the option is given, so that an invalid file is found before the migration.
  const recorded = env.GOLD_KEYS ? await keys.find(keyName) : undefined;
  const source = optional(values, name) ?? recorded ??
    (env.GOLD_KEYS ? await keys.locate(keyName) : required(values, name));
  if (!isKeySource(source)) {
    throw usage(`--${name} must be file:PATH or command:PROGRAM, never the key itself.`);
  }
  if (env.GOLD_KEYS) checkSource(source, `--${name}`);
  await readKeys(source, keyEnvironment()).catch((error: Error) => {
    throw usage(`--${name} does not give any keys. Nothing was done. ${error.message}`);
  });
  return source;
}

const BIC_FORM = /^[0-9A-Z]{4}[A-Z]{2}[0-9A-Z]{2}(?:[0-9A-Z]{3})?$/;

function readBic(text: string): string {
  if (BIC_FORM.test(text)) return text;
  throw usage(
    `--payout-bic ${
      JSON.stringify(text)
    } is not a BIC: a BIC has 8 or 11 upper-case letters and digits. Ask the bank for it.`,
  );
}
