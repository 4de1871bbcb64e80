import { rm } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ensureAuthorities } from "./authorities.ts";
import { type Child, startChild } from "./child.ts";
import { type Database, openDatabase } from "./database.ts";
import { runDemo } from "./demo.ts";
import { openEnvoy, openGateway } from "./door.ts";
import { asOperator, type Operator } from "./operator.ts";
import { type Credentials, ensurePartner } from "./partner.ts";
import { awaitReady } from "./ready.ts";
import { openState, type State } from "./state.ts";

export interface StartOptions {
  readonly port: number;
  readonly stateDir: string;
  readonly reset: boolean;
  readonly demo: boolean;
  /** The real Envoy in place of the development gateway. */
  readonly envoy?: boolean;
  readonly tell: (step: string, ms: number, what: string) => void;
}

export interface Running {
  readonly credentials: Credentials;
  readonly baseUrl: string;
  readonly state: State;
  /** When a part of it ends by itself: the sentence that says so. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("../../server/src/main.ts", import.meta.url));
const HTTPS_PORT = 443;
/** What every partner may send unless it is set otherwise, and a flood bound that leaves room for more: a rate is at most a quarter of it. */
const PARTNER_RATE = "2000";
const FLOOD_PER_SECOND = "20000";
/** What withdrawals are paid from; of no bank that there is. */
const HOUSE = { name: "Example Gold House", iban: "SA9480000000000000000001", bic: "EXAMSARI" };
const PARTNER = { name: "Example Bank", iban: "SA0380000000608010167519" };

/** Everything on one machine: database, migrations, authority, service, gateway, and a partner that trades. */
export async function start(
  { port, stateDir, reset, demo, envoy = false, tell }: StartOptions,
): Promise<Running> {
  const state = await openState(stateDir, reset);
  const stops: (() => Promise<void>)[] = [
    () => state.release(),
    () => rm(state.path("run.json"), { force: true }),
  ];
  const stop = async () => {
    // Each part is stopped even where another fails to.
    for (const one of stops.reverse()) await one().catch((error: Error) => console.error(error.message));
  };
  const timed = async <T>(step: string, act: () => Promise<T>, say: (result: T) => string): Promise<T> => {
    const startedMs = performance.now();
    const result = await act();
    tell(step, performance.now() - startedMs, say(result));
    return result;
  };
  try {
    const database = await timed(
      "database",
      () => openDatabase(state, () => {}),
      ({ postgres }) =>
        `Postgres on port ${postgres.port}${postgres.reused ? ", still running from an earlier start" : ""}`,
    );
    stops.push(() => database.postgres.stop());
    const baseUrl = `https://localhost${port === HTTPS_PORT ? "" : `:${port}`}`;
    const operator = asOperator(database.urls.operators[0]);
    await timed("migrate", () => settle(state, database, baseUrl), () => "the schema is this version's");
    const authorities = await timed(
      "authority",
      () => ensureAuthorities(state, operator),
      () => "certificates are signed by your own authority",
    );
    await timed("vault", () => stockVault(operator), (what) => what);
    const socket = state.socket("server.sock");
    const server = await timed(
      "service",
      () => startServer(state, database, baseUrl, socket, stops),
      ({ pid }) => `process ${pid} is ready`,
    );
    const door = await timed(
      envoy ? "envoy" : "gateway",
      () =>
        (envoy ? openEnvoy : openGateway)({
          state,
          port,
          baseUrl,
          authorities,
          databaseUrl: database.urls.api,
          floodPerSecond: FLOOD_PER_SECOND,
        }),
      ({ what }) => what,
    );
    stops.push(() => door.close());
    const credentials = await timed(
      "partner",
      () => ensurePartner(state, operator, { ...PARTNER, baseUrl }),
      ({ client_id }) => `${client_id} is onboarded`,
    );
    const run = {
      base_url: baseUrl,
      database_url: database.urls.operators[0],
      second_database_url: database.urls.operators[1],
      pids: { start: process.pid, postgres: database.postgres.pid, server: server.pid, ...door.pids },
    };
    const writeRun = (ready: boolean) =>
      state.writePrivate(state.path("run.json"), JSON.stringify({ ...run, ready }, null, 2));
    await writeRun(false);
    if (demo) await runDemo(credentials, tell);
    await writeRun(true);
    const served = server.exited.then((code) =>
      `The service ended by itself (exit ${code}); its log is ${state.path("log", "server.log")}.`
    );
    return { credentials, baseUrl, state, died: Promise.race([served, door.died]), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function settle(state: State, { urls }: Database, baseUrl: string): Promise<void> {
  await Promise.all([state.secret("pepper"), state.secret("sealing_key")]);
  // Here `gold` finds the login that adds operators, which no operator's own may do.
  await state.writePrivate(state.path("keys", "migration_database_url"), `${urls.migration}\n`);
  await asOperator(urls.migration)(
    `db migrate --env sandbox --base-url ${baseUrl} --loopback-receivers`,
    ...["--pepper", `file:${state.path("keys", "pepper")}`],
    ...["--sealing-key", `file:${state.path("keys", "sealing_key")}`],
    ...["--flood", FLOOD_PER_SECOND, "--rate", `${PARTNER_RATE}/s`, "--burst", PARTNER_RATE],
    ...["--payout-name", HOUSE.name, "--payout-iban", HOUSE.iban, "--payout-bic", HOUSE.bic],
  );
}

async function stockVault(operator: Operator): Promise<string> {
  const { items } = await operator("vault list") as { items: unknown[] };
  if (items.length > 0) return `${items.length} bar(s) on record`;
  await operator(
    "vault add --serial DEMO-0001 --refiner Example --gross 12441.4 --fineness 999.9 --vault Riyadh",
  );
  await operator("price set --mid 500 --spread 60 --source simulated --stale-after 30");
  return "a bar of 12.4 kg lies in it, and there is a price";
}

async function startServer(
  state: State,
  database: Database,
  baseUrl: string,
  socket: string,
  stops: (() => Promise<void>)[],
): Promise<Child> {
  const [operations, log] = [state.socket("server_operations.sock"), state.path("log", "server.log")];
  const child = startChild(MAIN, {
    GOLD_ENV: "sandbox",
    PUBLIC_BASE_URL: baseUrl,
    DATABASE_URL: database.urls.api,
    LISTEN: `unix:${socket}`,
    OPERATIONS_LISTEN: `unix:${operations}`,
    PEPPER_SOURCE: `file:${state.path("keys", "pepper")}`,
    SEALING_KEY_SOURCE: `file:${state.path("keys", "sealing_key")}`,
  }, log);
  stops.push(() => child.stop());
  await awaitReady(operations, child, log);
  return child;
}
