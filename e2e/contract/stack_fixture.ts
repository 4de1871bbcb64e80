import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import postgres, { type Sql } from "postgres";
import {
  asOperator,
  type Authorities,
  ensureAuthorities,
  type GatewayTimeouts,
  onboard,
  type Operator,
  type Running,
  start,
  startGateway,
} from "@gold-partner/dev";
import { readRun, type RunFile } from "@gold-partner/dev/testing";
import { findFreePort } from "@gold-partner/dev/postgres";
import { byTwo } from "../../tools/testing/by_two.ts";
import { startTestEnvoy } from "../fixtures/envoy.ts";
import { Caller } from "./caller_fixture.ts";
import { newState } from "./state_fixture.ts";

const IBAN = "SA0380000000608010167519";
/** Timeouts that keep the tests short, but let a body arrive on a busy machine. */
const SHORT_TIMEOUTS = { bodyMs: 3000, upstreamMs: 6000 };

/**
 * Runs what `npm start -- --two-people` starts, on its own port and in its own folder. Gives access to the
 * operators, the database and the partners.
 */
export class Stack {
  readonly running: Running;
  readonly pids: RunFile["pids"];
  /** The first person runs each command. If it makes a proposal, the second person approves it. */
  readonly operator: Operator;
  /** The commands of each person alone. */
  readonly people: readonly [Operator, Operator];
  /** A superuser's connection. Tests use it for changes that otherwise need much time or a defect. */
  readonly sql: Sql;
  /** The demo partner. It has no money and no gold yet. */
  readonly partner: Caller;
  /** True if the real Envoy is in front, instead of the development gateway. */
  readonly #envoy: boolean;
  readonly #proxies: (() => Promise<void>)[] = [];

  private constructor(running: Running, run: RunFile, sql: Sql, partner: Caller, envoy: boolean) {
    this.#envoy = envoy;
    this.running = running;
    this.pids = run.pids;
    this.people = [asOperator(run.database_url), asOperator(run.second_database_url)];
    this.operator = byTwo(...this.people);
    this.sql = sql;
    this.partner = partner;
  }

  /** With `fresh`, the state is new, so the demo partner's receiver is at the port after the stack's own. */
  static async open({ envoy = false, fresh = false } = {}): Promise<Stack> {
    const startIn = async (stateDir: string, envoy: boolean) => {
      const options = { twoPeople: true, reset: false, demo: false, report: () => {} };
      return await start({ ...options, port: await findFreePort(), stateDir, envoy });
    };
    const firstStart = async (folder: string) => await (await startIn(folder, false)).stop();
    const stateDir = await newState(fresh ? undefined : firstStart);
    const running = await startIn(stateDir, envoy);
    try {
      const run = (await readRun(stateDir))!;
      const partner = await Caller.of(running.credentials);
      const sql = postgres(await superuserUrl(running, run), { max: 2, onnotice: () => {} });
      return new Stack(running, run, sql, partner, envoy);
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.sql.end({ timeout: 1 });
    await Promise.all(this.#proxies.map((close) => close()));
    await this.running.stop();
    await rm(join(this.running.state.dir, ".."), { recursive: true, force: true });
  }

  async onboard(name: string): Promise<Caller> {
    const { state, baseUrl } = this.running;
    return await Caller.of(await onboard(state, this.operator, { name, iban: IBAN, baseUrl }));
  }

  /**
   * Opens a gateway with timeouts so short that tests can wait for them. With Envoy, returns the port of the
   * usual Envoy, because Envoy's timeouts are fixed.
   */
  async openProxyWithShortTimeouts(): Promise<number> {
    if (this.#envoy) return this.#port;
    return await this.#openGateway(this.socket("server.sock"), SHORT_TIMEOUTS);
  }

  /** Opens a gateway or an Envoy with no service behind it. */
  async openProxyWithoutService(): Promise<number> {
    const nobody = this.socket("nobody.sock");
    return this.#envoy
      ? await this.openEnvoy({ UPSTREAMS: `unix:${nobody}` })
      : await this.#openGateway(nobody);
  }

  /**
   * Returns the port of a gateway or Envoy that does not check readiness. It forwards every request, even if
   * the service is not ready.
   */
  async openProxyWithoutHealthCheck(): Promise<number> {
    if (!this.#envoy) return this.#port;
    return await this.openEnvoy({ UPSTREAMS: `unix:${this.socket("server.sock")}` });
  }

  /** Starts another Envoy in front of the same service, with these settings. Returns its port. */
  async openEnvoy(settings: Readonly<Record<string, string>>): Promise<number> {
    const { partnerCa: ca, cert, key } = await this.#authorities();
    const port = await findFreePort();
    const envoy = await startTestEnvoy({
      ...{ port, ca, cert, key, settings },
      baseUrl: `https://localhost:${port}`,
      upstreams: `unix:${this.socket("server.sock")}|unix:${this.socket("server_operations.sock")}`,
    });
    this.#proxies.push(() => envoy.stop());
    return port;
  }

  socket(name: string): string {
    return this.running.state.socket(name);
  }

  /**
   * Call this after a superuser's change. Admission then reads the change at its next check of the registry.
   */
  async announce(): Promise<void> {
    await this.sql`update gold.registry_version set version = version + 1`;
  }

  /** Both people sign for rows that a superuser wrote, so that the service uses them. */
  async adopt(): Promise<void> {
    await this.operator("registry adopt");
  }

  async #openGateway(socket: string, timeouts: Partial<GatewayTimeouts> = {}): Promise<number> {
    const { partnerCa: ca, cert, key } = await this.#authorities();
    const newRequestId = () => newId(ID_PREFIX.request, Date.now(), (length) => randomBytes(length));
    const gateway = await startGateway({
      port: 0,
      ca,
      cert,
      key,
      upstreams: [socket],
      newRequestId,
      timeouts,
    });
    this.#proxies.push(() => gateway.close());
    return gateway.port;
  }

  get #port(): number {
    return Number(new URL(this.running.baseUrl).port);
  }

  /** The certificate of the gateway, which clients trust, with its key. */
  async serverCertificate(): Promise<Pick<Authorities, "cert" | "key">> {
    return await this.#authorities();
  }

  #authorities(): Promise<Authorities> {
    return ensureAuthorities(this.running.state, this.operator);
  }
}

async function superuserUrl({ state }: Running, { database_url }: RunFile): Promise<string> {
  const url = new URL(database_url);
  url.username = "postgres";
  url.password = (await readFile(state.path("postgres", "password"), "utf8")).trim();
  return url.href;
}
