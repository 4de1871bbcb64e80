import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { operatorKeyFile } from "@gold-partner/operator";
import { ensurePartnerCa, ensureServerCertificates } from "./authorities.ts";
import {
  type Database,
  ensureOperators,
  openDatabase,
  sayPostgresEnd,
  whilePostgresRuns,
} from "./database.ts";
import { demonstrate } from "./demo.ts";
import { openEnvoy, openGateway } from "./tls_proxy.ts";
import { announceKeys, keyFileOf, recordKeys } from "./key_file.ts";
import { asOperator, type Operator } from "./operator.ts";
import { beginTwoPeople, PEOPLE } from "./operator_keys.ts";
import { ensurePartner } from "./partner.ts";
import { type Service, startService } from "./service.ts";
import type { Running, StartOptions } from "./running.ts";
import type { State } from "./state.ts";
import { doStep } from "./progress.ts";
import { type EarlyParts, markMigrated } from "./early_start.ts";
import type { Watchdog } from "./watchdog.ts";

interface BuildPlan {
  readonly options: StartOptions;
  readonly state: State;
  readonly baseUrl: string;
  readonly watchdog: Watchdog;
  /** True if an earlier start has migrated the database to the current sources. */
  readonly migrated: boolean;
  readonly early: EarlyParts | undefined;
  /** Collects the functions that stop the parts, in start order. */
  readonly stops: (() => Promise<void>)[];
}

/**
 * A partner's default rate in requests per second, and its default burst. An operator can raise a partner's
 * rate to 5000, a quarter of FLOOD_PER_SECOND.
 */
const PARTNER_RATE = "2000";
const FLOOD_PER_SECOND = 20_000;
/** The account that withdrawals are paid from. Its bank does not exist. */
const PAYOUT_ACCOUNT = { name: "Example Gold House", iban: "SA9480000000000000000001", bic: "EXAMSARI" };
const PARTNER = { name: "Example Bank", iban: "SA0380000000608010167519" };

/** Starts the parts one after another and reports each step to the listener. */
export async function build(plan: BuildPlan): Promise<Pick<Running, "credentials" | "died">> {
  const { options, state, watchdog, early, stops } = plan;
  const step: StepRunner = (name, doing, act, say) => {
    options.signal?.throwIfAborted();
    return doStep(options, name, doing, act, say);
  };
  const database = await step(
    "database",
    "starting Postgres",
    () => awaitDatabase(state, early, watchdog, options.port),
    ({ postgres: { port, reused } }) =>
      reused ? `reusing Postgres of an earlier start, on port ${port}` : `Postgres listens on port ${port}`,
  );
  stops.push(() => database.postgres.stop());
  return await whilePostgresRuns(state, database.postgres, () => buildOn(database, plan, step));
}

type StepRunner = <T>(
  name: string,
  doing: string,
  act: () => Promise<T>,
  say: (result: T) => string,
) => Promise<T>;

/** Starts the parts that need the database. */
async function buildOn(
  database: Database,
  { options, state, baseUrl, watchdog, migrated, early, stops }: BuildPlan,
  step: StepRunner,
): Promise<Pick<Running, "credentials" | "died">> {
  const { port, demo, envoy = false, webhookCa = "", floodPerSecond = FLOOD_PER_SECOND } = options;
  const operator = asOperator(...database.urls.operators, keyFileOf(state));
  await step(
    "migrate",
    "migrating the database to this version",
    () => migrate(state, database, baseUrl, floodPerSecond, migrated),
    () => "the database's tables, functions and logins match this version",
  );
  const servers = await ensureServerCertificates(state);
  const isTrusted = await trustReceivers(state, servers.serverCa + webhookCa);
  // Use the service that startEarly() started, which loads while the operator's first commands run.
  const isEarly = isTrusted && early?.port === database.postgres.port;
  let service = isEarly
    ? early.service
    : await restartService(early, state, database, baseUrl, watchdog, options.lanes);
  stops.push(() => service.stop());
  const partnerCa = await step(
    "authority",
    "making keys and certificates",
    () => ensurePartnerCa(state, operator),
    () => "your own CA signs the partners' certificates",
  );
  await step("vault", "adding gold to the vault", () => stockVault(operator), (what) => what);
  // Start now, while the service loads, because onboarding needs only the database.
  const onboarding = whilePostgresRuns(state, database.postgres, () => onboard(state, operator, baseUrl));
  const onboarded = onboarding.then(() => {}, () => {});
  stops.push(() => onboarded);
  if (options.twoPeople) {
    const { hasNewFile } = await step(
      "operators",
      "making the operators' SSH keys",
      // Both people sign for the partner, too.
      () => onboarding.then(() => beginTwoPeople(state, database.urls, baseUrl)),
      ({ said }) => said,
    );
    if (hasNewFile) {
      await service.stop();
      service = startService(state, database.urls, baseUrl, watchdog, options.lanes);
    }
  }
  await step("service", "loading the service", async () => {
    await service.ready().catch(async (error) => {
      // Start the service again if it exited. It exits if the database of startEarly() starts too slowly.
      if (service !== early?.service) throw error;
      service = await restartService(early, state, database, baseUrl, watchdog, options.lanes);
      await service.ready();
    });
  }, () => `running as process ${service.pid}`);
  const proxy = await step(
    envoy ? "envoy" : "gateway",
    "opening the mutual TLS port",
    () =>
      (envoy ? openEnvoy : openGateway)({
        state,
        port,
        baseUrl,
        authorities: { partnerCa, ...servers },
        databaseUrl: database.urls.trust,
        floodPerSecond: `${floodPerSecond}`,
        watchdog,
      }),
    ({ what }) => what,
  );
  stops.push(() => proxy.close());
  const partner = await step(
    "partner",
    "onboarding a partner",
    () => onboarding,
    ({ credentials, isNew }) =>
      isNew
        ? `${PARTNER.name} is onboarded: keys, CSR, certificate, secrets`
        : `${PARTNER.name} was onboarded earlier: ${credentials.client_id}`,
  );
  const run = {
    base_url: baseUrl,
    database_url: database.urls.operators[0],
    second_database_url: database.urls.operators[1],
    pids: {
      start: process.pid,
      watchdog: watchdog.pid,
      postgres: database.postgres.pid,
      server: service.pid,
      ...proxy.pids,
    },
  };
  stops.push(await announceKeys(state, run.database_url));
  const writeRun = (ready: boolean) =>
    state.writePrivate(state.path("run.json"), JSON.stringify({ ...run, ready }, null, 2));
  await writeRun(false);
  if (demo) await demonstrate(operator, partner, servers.receiver, options);
  await writeRun(true);
  const died = Promise.race([
    service.died,
    proxy.died,
    watchdog.died,
    sayPostgresEnd(state, database.postgres),
  ]);
  return { credentials: partner.credentials, died };
}

/**
 * Returns the Postgres that startEarly() started. If there is none or it failed, starts Postgres and creates
 * the logins and the database.
 */
async function awaitDatabase(
  state: State,
  early: EarlyParts | undefined,
  watchdog: Watchdog,
  gatewayPort: number,
): Promise<Database> {
  const postgres = await early?.postgres.catch(() => undefined);
  return postgres
    ? { postgres, urls: early!.urls }
    : await openDatabase(state, watchdog, { sparedPort: gatewayPort });
}

/**
 * Writes the CAs that the service trusts for webhook receivers on this machine. Returns true if the file was
 * already up to date. The service reads the file only when it starts.
 */
async function trustReceivers(state: State, pem: string): Promise<boolean> {
  const file = state.path("pki", "webhook_ca.pem");
  if (await readFile(file, "utf8").catch(() => undefined) === pem) return true;
  await writeFile(file, pem);
  return false;
}

async function restartService(
  early: EarlyParts | undefined,
  state: State,
  { urls }: Database,
  baseUrl: string,
  watchdog: Watchdog,
  lanes: number | undefined,
): Promise<Service> {
  await early?.service.stop();
  return startService(state, urls, baseUrl, watchdog, lanes);
}

async function migrate(
  state: State,
  { urls }: Database,
  baseUrl: string,
  floodPerSecond: number,
  migrated: boolean,
): Promise<void> {
  // `gold` reads the migration login from this file to add operators, because an operator's own login may not
  // add operators.
  await state.writePrivate(state.path("keys", "migration_database_url"), `${urls.migration}\n`);
  await recordKeys(state);
  if (migrated) return;
  const [one, two] = urls.operators.map((url, index) =>
    asOperator(url, undefined, undefined, {
      MIGRATION_DATABASE_URL: urls.migration,
      GOLD_SSH_KEY: operatorKeyFile(state.dir, PEOPLE[index]!),
    })
  ) as [Operator, Operator];
  const { proposals = [] } = await two(
    `db migrate --env sandbox --base-url ${baseUrl} --loopback-receivers`,
    ...["--pepper", `file:${state.path("keys", "pepper")}`],
    ...["--sealing-key", `file:${state.path("keys", "sealing_key")}`],
    ...["--flood", `${floodPerSecond}`, "--rate", `${PARTNER_RATE}/s`, "--burst", PARTNER_RATE],
    ...["--open-quotes", "unlimited", "--open-grams", "unlimited", "--daily-records", "unlimited"],
    ...["--payout-name", PAYOUT_ACCOUNT.name, "--payout-iban", PAYOUT_ACCOUNT.iban],
    ...["--payout-bic", PAYOUT_ACCOUNT.bic],
  ) as { proposals?: readonly { proposal_id: string; sha256: string }[] };
  await ensureOperators(state, urls);
  // After --two-people, a new base URL is proposed. The demo plays the other person.
  for (const { proposal_id, sha256 } of proposals) {
    await one("proposal approve", proposal_id, "--sha256", sha256);
  }
  await markMigrated(state, baseUrl);
}

async function stockVault(operator: Operator): Promise<string> {
  const { items } = await operator("vault list") as { items: unknown[] };
  if (items.length > 0) return `the vault holds ${items.length} bar(s) of gold`;
  await operator(
    "vault add --serial DEMO-0001 --refiner Example --gross 12441.4 --fineness 999.9 --vault Riyadh",
  );
  await operator("price set --mid 500 --spread 60 --source simulated --stale-after 30");
  return "the vault holds a bar of 12.4 kg of gold, and a price is set";
}

/**
 * Onboards the demo partner and the partners that k6 uses by default, so that a load test needs no
 * preparation.
 */
async function onboard(state: State, operator: Operator, baseUrl: string) {
  const partner = await ensurePartner(state, operator, { ...PARTNER, baseUrl });
  await operator(
    "loadtest prepare --partners 1",
    ...["--out", state.path("loadtest"), "--ca", state.path("pki", "ca.pem")],
  );
  return partner;
}
