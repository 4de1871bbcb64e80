import { createSealing, type KeySource, migrate, readKeys } from "@gold-partner/server";
import type { Sql } from "postgres";
import type { Command, Invocation, Row } from "../../command.ts";
import { connect, openDb } from "../../database.ts";
import { EXIT, Failure } from "../../failure.ts";
import { keyEnvironment } from "../../key_environment.ts";
import { readRootKeys } from "../people/operator_key.ts";
import { makeTokenKey } from "../../token_key.ts";
import { readPepper, requireSamePepper } from "../credentials/new_secret.ts";
import { type Change, changeOrPropose } from "../changes/proposing.ts";
import { LIMIT_OPTIONS, printLimits } from "../partners/partner_limits.ts";
import { readSettlement, type Settlement } from "../money/settlement.ts";

const migrateCommand: Command = {
  words: "db migrate",
  usage:
    "db migrate [--env sandbox|production --base-url URL --pepper SOURCE --sealing-key SOURCE [--loopback-receivers] [--flood N] [--webhook-port N …] [--attempts-kept 90d]] [--rate N/s --burst N] [--open-quotes N|unlimited --open-grams G|unlimited --daily-records N|unlimited] [--net-grams G|unlimited] [--daily-withdrawals N|unlimited] [--daily-withdrawn SAR|unlimited] [--payout-name NAME --payout-iban SA… --payout-bic BIC] [--vault-stripes N] [--two-people] [--operator-key LOGIN=FILE …]",
  does:
    "migrates the database to this version and stores the settings that are given; a setting that is left out keeps its value, except that --env without --loopback-receivers switches it off; a new database needs --env, --base-url, --pepper and --sealing-key once; the key file of GOLD_KEYS remembers where both keys are; --vault-stripes spreads the free gold, so that orders on several connections do not wait for each other's commits; with --two-people, a second person must approve changes of a sandbox from then on, as always in production, and this cannot be taken back; --operator-key registers the SSH public key with which a login signs; give it once for each of the first people; every approval needs two signatures from then on",
  options: {
    env: { type: "string" },
    "base-url": { type: "string" },
    pepper: { type: "string" },
    "sealing-key": { type: "string" },
    "loopback-receivers": { type: "boolean" },
    flood: { type: "string" },
    "webhook-port": { type: "string", multiple: true },
    "attempts-kept": { type: "string" },
    rate: { type: "string" },
    burst: { type: "string" },
    ...LIMIT_OPTIONS,
    "payout-name": { type: "string" },
    "payout-iban": { type: "string" },
    "payout-bic": { type: "string" },
    "vault-stripes": { type: "string" },
    "two-people": { type: "boolean" },
    "operator-key": { type: "string", multiple: true },
  },
  async run(invocation) {
    const { values, migrationUrl, keys, env, progress } = invocation;
    // Check all options before anything is changed.
    const given = await readSettlement({ values, keys, env });
    const rootKeys = await readRootKeys(invocation);
    const url = await migrationUrl();
    const sql = connect(url);
    try {
      const pepper = given.deployment && await readPepper(given.deployment.pepper);
      if (given.deployment) await refuseAnotherDeployment(sql, given.deployment, pepper!.name);
      const warnings = await migrate(url, {
        environment: given.deployment?.environment,
        onProgress: progress,
      });
      // No process has ever served a database without a deployment, so no older process uses it.
      const isNew = given.deployment !== undefined && !await hasDeployment(sql);
      const { settled, proposals } = await settle(sql, invocation, given);
      // The service of an older deployment stores the name of its pepper, because its client secrets work.
      if (isNew) await sql`select gold.keep_pepper(${pepper!.name})`;
      if (values["two-people"] === true) await sql`select gold.require_two_people()`;
      if (rootKeys) await sql`select gold.add_root_keys(${JSON.stringify(rootKeys)}::text::jsonb)`;
      if (given.deployment && env.GOLD_KEYS) {
        await keys.record("pepper", given.deployment.pepper);
        await keys.record("sealing_key", given.deployment.sealingKey);
      }
      return {
        ...(proposals.length > 0 ? { title: AWAITS_APPROVAL, lists: { proposals } } : {}),
        object: {
          migrated: true,
          ...(warnings.length > 0 ? { warnings } : {}),
          ...settled,
          ...(rootKeys ? { operator_keys: Object.keys(rootKeys).length } : {}),
        },
      };
    } finally {
      await sql.end();
    }
  },
};

const AWAITS_APPROVAL =
  "The database is migrated. Some settings were not changed yet. Another person must approve each: gold proposal approve ID.";

/** The settings of a new deployment. */
const DEFAULTS: Row = { flood_per_second: 2000, webhook_ports: [443, 8443], attempts_kept_days: 90 };

/**
 * Stores the settings. Under two people, and once a partner exists, a changed setting is proposed instead.
 */
async function settle(
  sql: Sql,
  invocation: Invocation,
  { deployment, defaults, limits, account, stripes }: Settlement,
): Promise<{ settled: Row; proposals: Row[] }> {
  const proposals: Row[] = [];
  let settled: Row = {};
  const store = async (kind: Change["kind"], content: Change["content"], stored: Row) => {
    const { object } = await changeOrPropose(invocation, { kind, content }, {}, sql);
    if (object) proposals.push({ kind, ...object });
    else settled = { ...settled, ...stored };
  };
  if (deployment) {
    const { environment, baseUrl, loopbackReceivers, sealingKey } = deployment;
    const [known = DEFAULTS] = await sql`
      select flood_per_second, webhook_ports, attempts_kept_days from gold.deployment`;
    const content = {
      environment,
      public_base_url: baseUrl,
      loopback_receivers: loopbackReceivers,
      flood_per_second: deployment.flood ?? known.flood_per_second,
      webhook_ports: deployment.webhookPorts ?? known.webhook_ports,
      attempts_kept_days: deployment.attemptsKeptDays ?? known.attempts_kept_days,
    };
    await store("deployment.settle", content, { environment, base_url: baseUrl });
    await ensureTokenKey(sql, sealingKey);
  }
  if (defaults) {
    const rates = { rate_per_second: defaults.rate, burst: defaults.burst };
    await store("deployment.defaults", rates, rates);
  }
  if (stripes !== undefined) {
    await sql`select gold.set_stripes(${stripes})`;
    settled = { ...settled, vault_stripes: stripes };
  }
  if (limits) await store("deployment.defaults", { limits }, printLimits(limits));
  if (account) {
    const { name, iban, bic } = account;
    await store("deployment.payout", { name, iban, bic }, { payout_iban: iban });
  }
  return { settled, proposals };
}

/**
 * Refuses a database of another environment or another pepper. Runs before the migration, so that the schema
 * of such a database does not change either. Before the migration, the column of the pepper may be missing.
 */
async function refuseAnotherDeployment(
  sql: Sql,
  { environment, pepper }: NonNullable<Settlement["deployment"]>,
  pepperName: string,
): Promise<void> {
  const [{ known } = {}] = await sql`select to_regclass('gold.deployment') is not null as known`;
  const [settled] = known
    ? await sql`select environment, to_jsonb(d) ->> 'pepper_name' as pepper_name from gold.deployment d`
    : [];
  if (!settled) return;
  if (settled.environment !== environment) {
    throw new Failure(
      EXIT.refused,
      "refused",
      `This is a ${settled.environment} database; got --env ${environment}. Check --env and the database URL. Nothing was done.`,
    );
  }
  requireSamePepper(pepper, pepperName, settled.pepper_name);
}

async function hasDeployment(sql: Sql): Promise<boolean> {
  return (await sql`select from gold.deployment`).length > 0;
}

const status: Command = {
  words: "db status",
  usage: "db status",
  does:
    "shows which deployment the database belongs to, and its settings; fails if the database is not migrated",
  async run({ db }) {
    const { deployment } = await db();
    const { id, environment, publicBaseUrl, webhookPorts, attemptsKeptDays, requestsKeptSince } =
      await deployment();
    return {
      object: {
        deployment_id: id,
        environment,
        base_url: publicBaseUrl,
        webhook_ports: webhookPorts,
        attempts_kept_days: attemptsKeptDays,
        requests_kept_since: requestsKeptSince?.toISOString() ?? null,
      },
    };
  },
};

const newId: Command = {
  words: "db new-id",
  usage: "db new-id",
  does:
    "gives a copy of a database, such as that of a drill, a deployment id of its own, and prints the lines for the copy's file of operators' keys; never run it for a standby, or after a restore or a failover",
  async run({ migrationUrl, confirm }) {
    const sql = connect(await migrationUrl());
    try {
      const { id: present, publicBaseUrl, environment } = await openDb(sql).deployment();
      await confirm(
        `Give the deployment ${present} (${publicBaseUrl}) a new id? Run this only in a copy of a database. The service and gold then refuse each file of operators' keys that names ${present}.`,
      );
      const [row] = await sql`
        select id, earlier, gold.instant_text(ended_at) as ended_at, audit_id::text, head from gold.renew_deployment_id()`;
      const { id, earlier, ended_at, audit_id, head } = row!;
      return {
        title: "In the copy's file of operators' keys, replace the line # deployment with these two lines.",
        object: { deployment_id: id, earlier_id: earlier },
        items: [
          { line: `# deployment ${id} ${publicBaseUrl} copy of a ${environment} deployment` },
          { line: `# earlier deployment ${earlier} until ${ended_at} ${audit_id} ${head}` },
        ],
      };
    } finally {
      await sql.end();
    }
  },
};

export const DB_COMMANDS: readonly Command[] = [migrateCommand, status, newId];

/** The service cannot issue tokens without a key, so a new deployment gets its first one here. */
async function ensureTokenKey(sql: Sql, sealingKey: KeySource): Promise<void> {
  const [known] = await sql`select 1 from gold.token_key_overview limit 1`;
  if (known) return;
  const { kid, publicJwk, sealed, sealingKey: keyName } = await makeTokenKey(
    await createSealing(await readKeys(sealingKey, keyEnvironment())),
  );
  await sql`
    select gold.add_token_key(${kid}, ${
    sql.json({ ...publicJwk })
  }::jsonb, ${sealed}::bytea, ${keyName}, clock_timestamp())`;
}
