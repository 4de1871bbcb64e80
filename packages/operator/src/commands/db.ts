import { exportPublicJwk, importVerifyingKey, jwkThumbprint } from "@gold-partner/jws";
import { createSealing, isKeySource, migrate, readKeys } from "@gold-partner/server";
import type { Sql } from "postgres";
import type { Command } from "../command.ts";
import { connect, findDatabaseUrl } from "../database.ts";
import { usage } from "../failure.ts";
import { optional, required } from "../values.ts";

const migrateCommand: Command = {
  words: "db migrate",
  usage:
    "db migrate [--env sandbox|production --base-url URL --pepper SOURCE --sealing-key SOURCE] [--loopback-receivers]",
  does: "brings the database to this version; the first time it is told which deployment it belongs to",
  options: {
    env: { type: "string" },
    "base-url": { type: "string" },
    pepper: { type: "string" },
    "sealing-key": { type: "string" },
    "loopback-receivers": { type: "boolean" },
  },
  async run({ values, env }) {
    const url = env.MIGRATION_DATABASE_URL ?? await findDatabaseUrl(env, values.state as string);
    await migrate(url);
    const environment = optional(values, "env");
    if (environment === undefined) return { object: { migrated: true } };
    const baseUrl = required(values, "base-url");
    const pepper = sourceOf(required(values, "pepper"), "pepper");
    const sealingKey = sourceOf(required(values, "sealing-key"), "sealing-key");
    const sql = connect(url);
    try {
      await sql`select gold.settle_deployment(${environment}, ${baseUrl}, ${
        values["loopback-receivers"] === true
      }, ${sealingKey}, ${pepper})`;
      await ensureTokenKey(sql, sealingKey);
    } finally {
      await sql.end();
    }
    return { object: { migrated: true, environment, base_url: baseUrl } };
  },
};

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
