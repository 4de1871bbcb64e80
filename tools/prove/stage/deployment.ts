import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import {
  asOperator,
  type Database,
  ensureAuthorities,
  ensureOperators,
  onboard,
  openDatabase,
  openState,
  type Operator,
  type ServerCertificate,
  type State,
} from "@gold-partner/dev";
import { findFreePort, processLives, type RunningPostgres, startPostgres } from "@gold-partner/dev/postgres";
import { sendSignal } from "../../testing/send_signal.ts";
import { until } from "../../testing/until.ts";
import { Operators } from "./operators.ts";
import { Relay } from "./relay.ts";
import { type Role, ServerProcess } from "./server_process.ts";
import { ask, Trader } from "./trader.ts";
import { requireReply } from "./wire.ts";

const IBAN = "SA0380000000608010167519";
/** The vault starts with one bar of 500 g gross. */
const BAR_GROSS_GRAMS = "500";
/**
 * The proxy's flood limit, although there is no proxy here. It is high, because a partner's rate may be at
 * most a quarter of it.
 */
const FLOOD_PER_SECOND = "4000000";
/** A rate and an order size that no request of a proof exceeds. */
const NEVER_REACHED = "--rate 1000000/s --burst 1000000 --max-grams 100000";
/** The partners of a proof have no limits on their quotes and records, like the partners of `npm start`. */
const UNLIMITED = ["open-quotes", "open-grams", "daily-records"].flatMap((
  name,
) => [`--${name}`, "unlimited"]);
const INTERRUPTED = 130;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The part of a server that proofs use. Of several servers, it is the primary. */
type Server = Pick<RunningPostgres, "port" | "pid" | "superuserUrl" | "stop">;
export type ProofDatabase = Pick<Database, "urls"> & {
  readonly postgres: Server;
  /** Called after the server has stopped, before its folder is deleted. */
  readonly release?: () => void;
};

interface Size {
  readonly servers: number;
  readonly traders: number;
  readonly lanes: number;
  /** How long each process continues to serve after SIGTERM. */
  readonly drainSeconds?: number;
  /** The role of each process, `all` by default. */
  readonly role?: Role;
  /**
   * The source tree of the version to install and start; this one by default. A deployment of another version
   * has a single operator until `beginTwoPeople()`.
   */
  readonly root?: string;
  /** Starts the database; one server by default. */
  readonly startDatabase?: (state: State) => Promise<ProofDatabase>;
  /** Settings of each process besides those that all proofs share. */
  readonly settings?: Record<string, string>;
}

/**
 * The service on one machine, set up like `npm start -- --two-people`. Each part can be stopped, cut off and
 * killed on its own.
 */
export class Deployment {
  readonly state: State;
  readonly baseUrl: string;
  readonly port: number;
  readonly operators: Operators;
  /** The proof's own sessions, as a superuser. Their commits never wait for a standby. */
  readonly sql: Sql;
  readonly traders: Trader[] = [];
  readonly servers: ServerProcess[] = [];
  /** The certificate of the receivers on this machine. The delivering processes trust it. */
  receiverCertificate!: ServerCertificate;
  /**
   * The relay between the first server and the database. The other servers connect directly, and all of them
   * do if the database has several hosts or a proxy.
   */
  readonly relay: Relay;
  readonly #database: ProofDatabase;
  readonly #root: string | undefined;
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #interrupt = () => {
    console.error("Interrupted. Ignore everything that is printed below this line.");
    void this.stop().finally(() => process.exit(INTERRUPTED));
  };
  #postgres: Server;
  #stopped: Promise<void> | undefined;

  private constructor(
    state: State,
    port: number,
    database: ProofDatabase,
    relay: Relay,
    root: string | undefined,
  ) {
    this.relay = relay;
    this.#root = root;
    this.state = state;
    this.port = port;
    this.baseUrl = `https://localhost:${port}`;
    this.#database = database;
    this.#postgres = database.postgres;
    this.operators = new Operators(state, database.urls, root);
    this.sql = this.connectSuperuser(4);
  }

  static async start(
    { servers, traders, lanes, drainSeconds = 0, role = "all", root, startDatabase = openDatabase, settings }:
      Size,
  ): Promise<Deployment> {
    const state = await openState(await mkdtemp(join(tmpdir(), "gold-prove-")), false);
    const database = await startDatabase(state);
    const relay = await Relay.open(database.postgres.port);
    const deployment = new Deployment(state, await findFreePort(), database, relay, root);
    // `npm run` passes a signal on, so that it may come twice.
    for (const signal of SIGNALS) process.on(signal, deployment.#interrupt);
    try {
      await deployment.#settle();
      for (let n = 1; n <= traders; n++) await deployment.#onboard(`Trader ${n}`);
      for (let n = 1; n <= servers; n++) {
        await deployment.addServer(`server_${n}`, role, {
          LANES: `${lanes}`,
          DRAIN_SECONDS: `${drainSeconds}`,
          ...settings,
        }, root);
      }
      await deployment.renewTokens();
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  /** Runs each command as one operator. If it makes a proposal, the other operator approves it. */
  get operator(): Operator {
    return this.operators.both;
  }

  /** The login of the trust sync. */
  get trustUrl(): string {
    return this.#database.urls.trust;
  }

  /** The logins of two operators. */
  get operatorUrls(): readonly [string, string] {
    return this.#database.urls.operators;
  }

  /**
   * Opens superuser sessions. Pass 1 as `max` for a transaction, so that the transaction and its locks stay
   * in one session.
   */
  connectSuperuser(max: number): Sql {
    return this.#connect(this.superuserUrl, max);
  }

  #connect(url: string, max: number): Sql {
    return postgres(url, {
      max,
      backoff: () => 0.05,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: "prove", synchronous_commit: "local" },
    });
  }

  /**
   * Runs `use` in a new session, because a fault may have ended the sessions of `sql`. The login is the
   * superuser's or, for a change that the audit trail names, that of the migrations.
   */
  async inNewSession<T>(use: (sql: Sql) => Promise<T>, login?: "migration"): Promise<T> {
    const sql = this.#connect(login ? this.#database.urls[login] : this.superuserUrl, 1);
    try {
      return await use(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  get superuserUrl(): string {
    return this.#postgres.superuserUrl("gold");
  }

  get postmasterPid(): number {
    return this.#postgres.pid;
  }

  async renewTokens(): Promise<void> {
    await Promise.all(this.traders.map((trader) => trader.renewToken(this.servers[0]!.socket)));
  }

  /** Funds partners through the first process. */
  async fund(amountSar: string, traders: readonly Trader[] = this.traders): Promise<void> {
    for (const trader of traders) {
      requireReply("funding", await ask(this.servers[0]!.socket, trader.fund(amountSar)));
    }
  }

  /** Kills every process of Postgres, the postmaster first, so that it cannot start new ones. */
  async killPostgres(): Promise<void> {
    const backends = await this.sql<{ pid: number }[]>`select pid from pg_stat_activity`;
    for (const pid of [this.#postgres.pid, ...backends.map(({ pid }) => pid)]) sendSignal(pid, "SIGKILL");
  }

  /** Kills the postmaster alone. The other processes end as soon as they notice. */
  killPostmaster(): void {
    process.kill(this.#postgres.pid, "SIGKILL");
  }

  /** Shuts Postgres down cleanly, which ends all sessions. */
  async stopPostgres(): Promise<void> {
    await this.#postgres.stop();
  }

  /**
   * Kills one backend. Postgres then ends all other backends and recovers. Returns when the database answers
   * again.
   */
  async killBackend(pid: number): Promise<void> {
    const [companion] = await this.sql<{ pid: number }[]>`
      select pid from pg_stat_activity where backend_type = 'checkpointer'`;
    process.kill(pid, "SIGKILL");
    await until(() => !processLives(companion!.pid));
    await this.untilDatabaseAnswers();
  }

  async untilDatabaseAnswers(): Promise<void> {
    await until(() => this.sql`select 1`.then(() => true, () => false));
  }

  /** Starts Postgres again on the same port and data. */
  async startPostgres(environment?: Record<string, string>): Promise<void> {
    const { port } = this.#postgres;
    this.#postgres = await startPostgres({
      dataDir: this.state.path("postgres"),
      port,
      settings: { max_connections: "200", shared_buffers: "256MB" },
      ...(environment ? { environment } : {}),
    });
  }

  /**
   * Returns the defects that `gold ledger verify` would report. The list is empty if the books are correct.
   */
  async findDefects(): Promise<string[]> {
    const rows = await this.inNewSession((sql) =>
      sql<{ rule: string; subject: string; detail: string }[]>`
        select * from gold.verify_ledger() union all select * from gold.verify_chain()`
    );
    return rows.map(({ rule, subject, detail }) => `${rule}, ${subject}: ${detail}`);
  }

  /**
   * Registers an action that stop() runs before it ends the service, such as ending the Envoy in front of it.
   */
  onStop(stop: () => Promise<void>): void {
    this.#stops.push(stop);
  }

  /** Both a signal and the program that it interrupts may stop the deployment. */
  stop(): Promise<void> {
    return this.#stopped ??= this.#stop();
  }

  async #stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
    await Promise.all(this.servers.map((server) => server.stop()));
    await this.relay.close();
    await Promise.all([this.sql.end({ timeout: 1 }), this.operators.sql.end({ timeout: 1 })]);
    await this.#postgres.stop();
    this.#database.release?.();
    await this.state.release();
    await rm(this.state.dir, { recursive: true, force: true });
    for (const signal of SIGNALS) process.off(signal, this.#interrupt);
  }

  async #settle(): Promise<void> {
    const { state } = this;
    await Promise.all([state.secret("pepper"), state.secret("sealing_key")]);
    const keys = {
      "--pepper": `file:${state.path("keys", "pepper")}`,
      "--sealing-key": `file:${state.path("keys", "sealing_key")}`,
    };
    const settings = {
      "--env": "sandbox",
      "--base-url": this.baseUrl,
      "--flood": FLOOD_PER_SECOND,
      ...keys,
    };
    await this.operators.migration(
      "db migrate --loopback-receivers",
      ...Object.entries(settings).flat(),
      // Left out for another version, whose `gold` may not have these options.
      ...(this.#root === undefined ? UNLIMITED : []),
    );
    await ensureOperators(state, this.#database.urls);
    if (this.#root === undefined) await this.operators.beginTwoPeople();
    const { certificate } = await this.operator("ca init --key", state.path("pki", "partner_ca_key.pem"));
    await state.writePrivate(state.path("pki", "partner_ca.pem"), certificate as string);
    this.receiverCertificate = (await ensureAuthorities(state, this.operator)).receiver;
    await this.operator(
      `vault add --serial FIRST --gross ${BAR_GROSS_GRAMS} --fineness 999.9 --vault Riyadh`,
    );
    await this.operator("price set --mid 500 --spread 60 --source fixed");
  }

  async #onboard(name: string): Promise<void> {
    const credentials = await onboard(this.state, this.operator, { name, iban: IBAN, baseUrl: this.baseUrl });
    await this.operator(`partner set ${credentials.client_id} ${NEVER_REACHED}`);
    const [row] = await this.sql`select id from gold.partner where public_id = ${credentials.client_id}`;
    this.traders.push(await Trader.of(credentials, row!.id as number));
  }

  /** Brings the database to this tree's version while the servers run. */
  async migrate(...options: readonly string[]): Promise<void> {
    await asOperator(this.#database.urls.migration)("db migrate", ...options);
  }

  /**
   * Starts one more process. `settings` are the settings of its role, besides those that all processes share.
   */
  async addServer(
    name: string,
    role: Role,
    settings: Record<string, string>,
    root?: string,
  ): Promise<ServerProcess> {
    const { state } = this;
    const { api, delivery, ticker } = this.#database.urls;
    const { keysFile } = this.operators;
    // URL cannot parse several hosts. The process reaches them, and a proxy, without the relay.
    const isRelayed = this.servers.length === 0 && URL.canParse(api) &&
      new URL(api).port === `${this.#postgres.port}`;
    const relayed = (url: string) =>
      isRelayed ? Object.assign(new URL(url), { port: `${this.relay.port}` }).href : url;
    const server = new ServerProcess(
      state,
      name,
      {
        GOLD_ENV: "sandbox",
        PUBLIC_BASE_URL: this.baseUrl,
        DATABASE_URL: relayed(api),
        DELIVERY_DATABASE_URL: relayed(delivery),
        TICKER_DATABASE_URL: relayed(ticker),
        PEPPER_SOURCE: `file:${state.path("keys", "pepper")}`,
        SEALING_KEY_SOURCE: `file:${state.path("keys", "sealing_key")}`,
        WEBHOOK_CA: state.path("pki", "ca.pem"),
        ...(keysFile === undefined ? {} : { OPERATOR_KEYS: keysFile }),
        ...settings,
      },
      role,
      root,
    );
    await server.start();
    this.servers.push(server);
    return server;
  }
}
