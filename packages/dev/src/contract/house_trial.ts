import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import postgres, { type Sql } from "postgres";
import { ensureAuthorities } from "../authorities.ts";
import { type Gateway, type GatewayPatience, startGateway } from "../gateway/start_gateway.ts";
import { asOperator, type Operator } from "../operator.ts";
import { onboard } from "../partner.ts";
import { type Running, start } from "../start.ts";
import { freePort, readRun, type RunFile } from "../start_trial.ts";
import { Caller } from "./caller_trial.ts";

const IBAN = "SA0380000000608010167519";

/** What `npm start` starts, on a port and in a folder of its own, with all who have to do with it. */
export class House {
  readonly running: Running;
  readonly pids: RunFile["pids"];
  readonly operator: Operator;
  /** A superuser: moves what only time or a defect would. */
  readonly sql: Sql;
  /** The demo partner. It has nothing yet. */
  readonly partner: Caller;
  readonly #doors: Gateway[] = [];

  private constructor(running: Running, run: RunFile, sql: Sql, partner: Caller) {
    this.running = running;
    this.pids = run.pids;
    this.operator = asOperator(run.database_url);
    this.sql = sql;
    this.partner = partner;
  }

  static async open(): Promise<House> {
    const stateDir = join(await mkdtemp(join(tmpdir(), "gold-contract-")), "state");
    const port = await freePort();
    const running = await start({ port, stateDir, reset: false, demo: false, tell: () => {} });
    try {
      const run = (await readRun(stateDir))!;
      const partner = await Caller.of(running.credentials);
      const sql = postgres(await superuserUrl(running, run), { max: 2, onnotice: () => {} });
      return new House(running, run, sql, partner);
    } catch (error) {
      await running.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.sql.end({ timeout: 1 });
    await Promise.all(this.#doors.map((door) => door.close()));
    await this.running.stop();
    await rm(join(this.running.state.dir, ".."), { recursive: true, force: true });
  }

  async onboard(name: string): Promise<Caller> {
    const { state, baseUrl } = this.running;
    return await Caller.of(await onboard(state, this.operator, { name, iban: IBAN, baseUrl }));
  }

  /** Another gateway before the same service, or before none; its port. */
  async openDoor(
    patience: Partial<GatewayPatience>,
    socket: string = this.running.state.socket("server.sock"),
  ): Promise<number> {
    const { partnerCa: ca, cert, key } = await ensureAuthorities(this.running.state, this.operator);
    const newRequestId = () => newId(ID_PREFIX.request, Date.now(), (length) => randomBytes(length));
    const door = await startGateway({ port: 0, ca, cert, key, upstreams: [socket], newRequestId, patience });
    this.#doors.push(door);
    return door.port;
  }

  /** Lets admission see what the superuser changed, with its next look. */
  async announce(): Promise<void> {
    await this.sql`update gold.registry_version set version = version + 1`;
  }
}

async function superuserUrl({ state }: Running, { database_url }: RunFile): Promise<string> {
  const url = new URL(database_url);
  url.username = "postgres";
  url.password = (await readFile(state.path("postgres", "password"), "utf8")).trim();
  return url.href;
}
