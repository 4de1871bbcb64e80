import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import postgres, { type Sql } from "postgres";
import { ensureAuthorities } from "../authorities.ts";
import { type GatewayPatience, startGateway } from "../gateway/start_gateway.ts";
import { asOperator, type Operator } from "../operator.ts";
import { onboard } from "../partner.ts";
import { newKeyFiles, writeCsr } from "../partner_keys.ts";
import { type Running, start } from "../start.ts";
import { freePort, readRun, type RunFile } from "../start_trial.ts";
import { Caller, type Certificate } from "./caller_trial.ts";

/** What `npm start` starts, on a port and in a folder of its own, with all who have to do with it. */
export interface House {
  readonly running: Running;
  readonly pids: RunFile["pids"];
  /** Two people of the operator. */
  readonly operator: Operator;
  readonly secondOperator: Operator;
  /** A superuser: moves what only time or a defect would. */
  readonly sql: Sql;
  /** The demo partner; it holds nothing. */
  readonly partner: Caller;
  onboard(name: string): Promise<Caller>;
  /** A further certificate of the partner, registered by `gold cert issue`. */
  issueCertificate(of: Caller): Promise<Certificate & { readonly fingerprint: string }>;
  /** Another gateway before the same service, or before none; its port. */
  openDoor(patience: Partial<GatewayPatience>, socket?: string): Promise<number>;
  /** Lets admission see what the superuser changed, with its next look. */
  announce(): Promise<void>;
  stop(): Promise<void>;
}

const IBAN = "SA0380000000608010167519";

export async function startHouse(): Promise<House> {
  const folder = await mkdtemp(join(tmpdir(), "gold-contract-"));
  const running = await start({
    port: await freePort(),
    stateDir: join(folder, "state"),
    reset: false,
    demo: false,
    tell: () => {},
  });
  const { state, baseUrl, credentials } = running;
  const run = (await readRun(state.dir))!;
  const operator = asOperator(run.database_url);
  const sql = postgres(await superuserUrl(running, run), { max: 2, onnotice: () => {} });
  const doors: { close(): Promise<void> }[] = [];
  return {
    running,
    pids: run.pids,
    operator,
    secondOperator: asOperator(run.second_database_url),
    sql,
    partner: await Caller.of(credentials),
    async onboard(name) {
      return await Caller.of(await onboard(state, operator, { name, iban: IBAN, baseUrl }));
    },
    async issueCertificate({ credentials: { client_id } }) {
      const [{ name }, desk] = [await operator("partner show", client_id), state.path("partners", client_id)];
      const file = join(desk, randomUUID());
      const { pair } = await newKeyFiles(state, desk, file.slice(desk.length + 1));
      await writeFile(
        `${file}.csr`,
        await writeCsr(pair, { organization: name as string, commonName: client_id }),
      );
      const issued = await operator("cert issue", client_id, "--csr", `${file}.csr`, "--out", `${file}.pem`);
      const [cert, key] = await Promise.all(
        [`${file}.pem`, `${file}_key.pem`].map((path) => readFile(path, "utf8")),
      );
      return { cert: cert!, key: key!, fingerprint: issued.fingerprint as string };
    },
    async openDoor(patience, socket = state.socket("server.sock")) {
      const { partnerCa, cert, key } = await ensureAuthorities(state, operator);
      const newRequestId = () => newId(ID_PREFIX.request, Date.now(), (length) => randomBytes(length));
      const door = await startGateway({
        ...{ port: 0, ca: partnerCa, cert, key, newRequestId, patience },
        upstreams: [socket],
      });
      doors.push(door);
      return door.port;
    },
    async announce() {
      await sql`update gold.registry_version set version = version + 1`;
    },
    async stop() {
      await sql.end({ timeout: 1 });
      await Promise.all(doors.map((door) => door.close()));
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function superuserUrl({ state }: Running, { database_url }: RunFile): Promise<string> {
  const url = new URL(database_url);
  url.username = "postgres";
  url.password = (await readFile(state.path("postgres", "password"), "utf8")).trim();
  return url.href;
}
