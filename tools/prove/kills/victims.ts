import type { Deployment } from "../stage/deployment.ts";

/** A process or connection that is ended without a warning. */
export interface Victim {
  readonly name: string;
  /**
   * True if the running statement continues in the database. A retry then waits for the locks of that
   * statement.
   */
  readonly leavesStatement: boolean;
  readonly needsBackend?: true;
  /** Killing this process loses the state that only this process had in memory. */
  readonly endsProcess?: true;
  /**
   * True if the service and the database both survive. Then no order may get 504, because a 504 leaves the
   * outcome unknown.
   */
  readonly leavesNoDoubt?: true;
  kill(deployment: Deployment, backend: number): Promise<void>;
}

const service: Victim = {
  name: "the service",
  endsProcess: true,
  leavesStatement: true,
  kill: ({ servers: [server] }) => server!.kill(),
};

/** After this kill, Postgres ends all its backends and recovers by itself. */
const backend: Victim = {
  name: "the service's database backend",
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
