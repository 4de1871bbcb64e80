import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "@gold-partner/dev";
import { processLives, startPostgres } from "@gold-partner/dev/postgres";
import { until } from "../../testing/until.ts";
import { Deployment, type ProofDatabase } from "../stage/deployment.ts";
import { type Inbox, openInboxes } from "../stage/inboxes.ts";
import { Relay } from "../stage/relay.ts";
import { ask } from "../stage/trader.ts";
import { requireReply } from "../stage/wire.ts";
import type { Amounts } from "./history.ts";
import { balancesOf, bodyOf } from "./replies.ts";
import { SmallDisk } from "./small_disk.ts";
import { Toxiproxy } from "../../testing/toxiproxy.ts";

const SERVERS = 2;
const TRADERS = 3;
const LANES = 2;
/** One for each batch of orders in flight. */
const VAULT_STRIPES = `${SERVERS * LANES}`;
/** A supervisor kills Postgres if it does not answer for this time. */
const HUNG_MS = 3000;
const INITIAL_FUNDING_SAR = "1000";
/** So much gold that the orders of all rounds can be executed. */
const BAR_GROSS_GRAMS = "400000";

/** The connections that a network fault breaks. */
export type Place = "database" | "partner" | "receiver";

/** The state of an account between two rounds, when no request is in flight. */
export interface AccountState {
  readonly start: Amounts;
  /** The number of its newest event. */
  readonly sequence: number;
}

/**
 * Two processes of the service, with Toxiproxy between them and the database, the partners and the webhook
 * receivers. The database is on a disk that can be filled.
 */
export class FaultStage {
  readonly deployment: Deployment;
  readonly toxiproxy: Toxiproxy;
  readonly disk: SmallDisk;
  inboxes: readonly Inbox[] = [];
  /** Where partners connect: one port per process of the service. */
  readonly ports: number[] = [];
  readonly #proxies: Record<Place, string[]> = { database: ["database"], partner: [], receiver: [] };
  readonly #repairs = new Set<() => Promise<void>>();

  private constructor(deployment: Deployment, toxiproxy: Toxiproxy, disk: SmallDisk) {
    this.deployment = deployment;
    this.toxiproxy = toxiproxy;
    this.disk = disk;
    deployment.onStop(async () => {
      for (const repair of this.#repairs) if (this.#repairs.delete(repair)) await repair();
    });
  }

  static async start(): Promise<FaultStage> {
    const toxiproxy = await Toxiproxy.start();
    try {
      let disk: SmallDisk | undefined;
      const deployment = await Deployment.start({
        servers: SERVERS,
        traders: TRADERS,
        lanes: LANES,
        async startDatabase(state): Promise<ProofDatabase> {
          const { postgres, urls } = await openDatabase(state);
          await postgres.stop();
          disk = new SmallDisk(join(state.path("postgres"), "cluster"));
          const { port } = postgres;
          const proxied = `${await toxiproxy.open("database", port)}`;
          const through = (url: string) => Object.assign(new URL(url), { port: proxied }).href;
          return {
            postgres: await startPostgres({ dataDir: state.path("postgres"), port }),
            urls: {
              ...urls,
              api: through(urls.api),
              delivery: through(urls.delivery),
              ticker: through(urls.ticker),
            },
            release: () => disk!.unmount(),
          };
        },
      });
      deployment.onStop(() => toxiproxy.stop());
      try {
        const stage = new FaultStage(deployment, toxiproxy, disk!);
        await stage.#furnish();
        return stage;
      } catch (error) {
        await deployment.stop();
        throw error;
      }
    } catch (error) {
      await toxiproxy.stop();
      throw error;
    }
  }

  async #furnish(): Promise<void> {
    const { deployment, toxiproxy } = this;
    await deployment.migrate("--vault-stripes", VAULT_STRIPES);
    for (const { name, socket } of deployment.servers) {
      const relay = await Relay.open(socket);
      deployment.onStop(() => relay.close());
      this.#proxies.partner.push(name);
      this.ports.push(await toxiproxy.open(name, relay.port));
    }
    this.inboxes = await openInboxes(deployment, deployment.traders, (port) => {
      this.#proxies.receiver.push(`receiver_${port}`);
      return toxiproxy.open(`receiver_${port}`, port);
    });
    const bar = `vault add --serial SECOND --gross ${BAR_GROSS_GRAMS} --fineness 999.9 --vault Riyadh`;
    await deployment.operator(bar);
    for (const trader of deployment.traders) {
      await deployment.operator(
        `partner set ${trader.clientId} --daily-withdrawals unlimited --daily-withdrawn unlimited --net-grams unlimited`,
      );
    }
    await deployment.fund(INITIAL_FUNDING_SAR);
  }

  /** Calls `repair` after this time, or when the proof is interrupted. */
  async repairAfter(lengthMs: number, repair: () => Promise<void>): Promise<void> {
    this.#repairs.add(repair);
    await sleep(lengthMs);
    if (this.#repairs.delete(repair)) await repair();
  }

  readonly proxies = (place: Place): readonly string[] => this.#proxies[place];

  /**
   * Removes what is left of the faults, starts what has ended, and waits until the service accepts writes.
   */
  async recover(): Promise<void> {
    await this.toxiproxy.reset();
    this.disk.empty();
    const { servers } = this.deployment;
    let isHealed = false;
    const healed = Promise.all(servers.map((server) => server.heal())).finally(() => isHealed = true);
    // Postgres can answer once and then end, if a process of it failed while the postmaster was frozen.
    await Promise.all([healed, this.#supervise(() => isHealed)]);
  }

  /** Starts Postgres again if it has ended or hangs, as a supervisor does, until it answers at the end. */
  async #supervise(isOver: () => boolean): Promise<void> {
    const { deployment } = this;
    let hungMs = performance.now() + HUNG_MS;
    await until(async () => {
      // Postgres recovers from most faults itself. Version 18 hangs if its recovery failed because of the
      // fault.
      if (performance.now() > hungMs && processLives(deployment.postmasterPid)) {
        deployment.killPostmaster();
        hungMs = performance.now() + 2 * HUNG_MS;
      }
      if (!processLives(deployment.postmasterPid)) {
        // A start that hangs is ended, and tried once more.
        await deployment.startPostgres().catch(() => deployment.startPostgres());
      }
      const answers = await deployment.sql`select 1`.then(() => true, () => false);
      if (answers) hungMs = performance.now() + HUNG_MS;
      return answers && isOver();
    });
  }

  /** The number of connections that the service has to the database. */
  async countConnections(): Promise<number> {
    const [row] = await this.deployment.sql<[{ count: number }]>`
      select count(*)::int as count from pg_stat_activity where application_name like 'gold-partner-%'`;
    return row.count;
  }

  /** The backends that execute orders at this moment. */
  async findBusyBackends(): Promise<number[]> {
    const rows = await this.deployment.sql<{ pid: number }[]>`
      select pid from pg_stat_activity
      where application_name = 'gold-partner-api' and state = 'active' and query like '%book_orders%'`;
    return rows.map(({ pid }) => pid);
  }

  /** Reads the state of each account. The balances come from the API, as a partner reads them. */
  async readAccounts(): Promise<AccountState[]> {
    const { deployment: { traders, servers, sql } } = this;
    return await Promise.all(traders.map(async (trader) => {
      const reply = await ask(servers[0]!.socket, trader.read("/v1/balances"));
      const [row] =
        await sql`select event_sequence::int as sequence from gold.account where client_id = ${trader.client}`;
      return {
        start: balancesOf(bodyOf(requireReply("reading the balances", reply, 200))),
        sequence: row!.sequence as number,
      };
    }));
  }
}
