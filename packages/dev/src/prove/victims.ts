import type { Deployment } from "./deployment.ts";

/** What is ended, without a warning. */
export interface Victim {
  readonly name: string;
  /** Whether the statement under way lives on at the database: a retry then meets its locks. */
  readonly leavesStatement: boolean;
  readonly needsBackend?: true;
  /** What it alone knew is lost. */
  readonly endsProcess?: true;
  /** The service and the database both live on, so nothing may be left in doubt. */
  readonly leavesNoDoubt?: true;
  kill(deployment: Deployment, backend: number): Promise<void>;
}

const service: Victim = {
  name: "the service",
  endsProcess: true,
  leavesStatement: true,
  kill: ({ servers: [server] }) => server!.kill(),
};

/** Postgres then ends all its backends and recovers by itself. */
const backend: Victim = {
  name: "its backend",
  needsBackend: true,
  leavesStatement: false,
  kill: (deployment, pid) => deployment.killBackend(pid),
};

const database: Victim = {
  name: "all of Postgres",
  leavesStatement: false,
  async kill(deployment) {
    await deployment.killPostgres();
    await deployment.startPostgres();
    await deployment.untilDatabaseAnswers();
  },
};

const network: Victim = {
  name: "the network to the database",
  leavesNoDoubt: true,
  leavesStatement: true,
  async kill({ relay }) {
    relay.cut();
  },
};

export const VICTIMS: readonly Victim[] = [service, backend, database, network];
