import { exportPublicJwk, importVerifyingKey, jwkThumbprint } from "@gold-partner/jws";
import { parseIban } from "@gold-partner/protocol";
import { createSealing, isKeySource, migrate, readKeys } from "@gold-partner/server";
import type { Sql } from "postgres";
import type { Command, Row, Values } from "../command.ts";
import { connect, findDatabaseUrl } from "../database.ts";
import { usage } from "../failure.ts";
import { checkBic } from "../pain/payment_text.ts";
import { readRate } from "./partner_terms.ts";
import { line, optional, required, wholeNumber } from "../values.ts";

/** What the proxy lets through for one certificate. */
const DEFAULT_FLOOD_PER_SECOND = "5000";

const migrateCommand: Command = {
  words: "db migrate",
  usage:
    "db migrate [--env sandbox|production --base-url URL --pepper SOURCE --sealing-key SOURCE [--loopback-receivers] [--flood N]] [--rate N/s --burst N] [--payout-name NAME --payout-iban SA… --payout-bic BIC]",
  does: "brings the database to this version; the first time it is told which deployment it belongs to",
  options: {
    env: { type: "string" },
    "base-url": { type: "string" },
    pepper: { type: "string" },
    "sealing-key": { type: "string" },
    "loopback-receivers": { type: "boolean" },
    flood: { type: "string" },
    rate: { type: "string" },
    burst: { type: "string" },
    "payout-name": { type: "string" },
    "payout-iban": { type: "string" },
    "payout-bic": { type: "string" },
  },
  async run({ values, env }) {
    for (const together of [PAYOUT, DEFAULTS]) {
      if (together.some((name) => values[name] !== undefined)) {
        together.forEach((name) => required(values, name));
      }
    }
    const url = env.MIGRATION_DATABASE_URL ?? await findDatabaseUrl(env, values.state as string);
    await migrate(url);
    const sql = connect(url);
    try {
      return {
        object: {
          migrated: true,
          ...await settle(sql, values),
          ...await setPartnerDefaults(sql, values),
          ...await setPayoutAccount(sql, values),
        },
      };
    } finally {
      await sql.end();
    }
  },
};

const PAYOUT = ["payout-name", "payout-iban", "payout-bic"] as const;
const DEFAULTS = ["rate", "burst"] as const;

/** Says which deployment the database belongs to, and all that it is to know of it. */
async function settle(sql: Sql, values: Values): Promise<Row> {
  const environment = optional(values, "env");
  if (environment === undefined) {
    if (values.flood !== undefined) {
      throw usage("--flood goes with --env and what else is said of the deployment.");
    }
    return {};
  }
  const baseUrl = required(values, "base-url");
  const pepper = sourceOf(required(values, "pepper"), "pepper");
  const sealingKey = sourceOf(required(values, "sealing-key"), "sealing-key");
  const flood = wholeNumber(optional(values, "flood") ?? DEFAULT_FLOOD_PER_SECOND, "flood");
  await sql`select gold.settle_deployment(${environment}, ${baseUrl}, ${
    values["loopback-receivers"] === true
  }, ${sealingKey}, ${pepper}, ${flood})`;
  await ensureTokenKey(sql, sealingKey);
  return { environment, base_url: baseUrl };
}

/** What partners may send that are given no terms of their own. */
async function setPartnerDefaults(sql: Sql, values: Values): Promise<Row> {
  if (values.rate === undefined) return {};
  const rate = readRate(required(values, "rate"));
  const burst = wholeNumber(required(values, "burst"), "burst");
  await sql`select gold.set_partner_defaults(${rate}, ${burst})`;
  return { rate_per_second: rate, burst };
}

/** The house's own account, which withdrawals are paid from. */
async function setPayoutAccount(sql: Sql, values: Values): Promise<Row> {
  if (values["payout-iban"] === undefined) return {};
  const name = line(values, "payout-name");
  const iban = parseIban(required(values, "payout-iban"));
  await sql`select gold.set_payout_account(${name}, ${iban}, ${
    checkBic("--payout-bic", required(values, "payout-bic"))
  })`;
  return { payout_iban: iban };
}

const status: Command = {
  words: "db status",
  usage: "db status",
  does: "which deployment the database belongs to, and whether it is migrated",
  async run({ db }) {
    const { deployment } = await db();
    const { environment, publicBaseUrl } = await deployment();
    return { object: { environment, base_url: publicBaseUrl } };
  },
};

export const DB_COMMANDS: readonly Command[] = [migrateCommand, status];

function sourceOf(text: string, name: string) {
  if (!isKeySource(text)) throw usage(`--${name} is file:PATH or command:PROGRAM, never the key itself.`);
  return text;
}

/** The service cannot issue tokens without a key, so a new deployment gets its first one here. */
async function ensureTokenKey(sql: Sql, sealingKey: `file:${string}` | `command:${string}`): Promise<void> {
  const [known] = await sql`select 1 from gold.token_key_overview limit 1`;
  if (known) return;
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const privateJwk = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const { kty, crv, x, y } = privateJwk as { kty: string; crv: string; x: string; y: string };
  const publicJwk = await exportPublicJwk(await importVerifyingKey({ kty, crv, x, y }));
  const sealing = await createSealing(await readKeys(sealingKey));
  const sealed = await sealing.seal(JSON.stringify({ kty, crv, x, y, d: privateJwk.d }));
  await sql`select gold.add_token_key(${await jwkThumbprint(publicJwk)}, ${
    sql.json({ ...publicJwk })
  }::jsonb, ${sealed}::bytea,
    ${sealing.currentKeyName}, clock_timestamp())`;
}
