import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asOperator, type Operator, type Running, start } from "@gold-partner/dev";

/** The service as `npm start` runs it. */
export interface StartedService extends Pick<Running, "credentials" | "state" | "baseUrl"> {
  /** The temporary folder that contains all files of this service. */
  readonly dir: string;
  /** The service's own socket, through which a proxy reaches the service. */
  readonly socket: string;
  readonly operator: Operator;
  readonly pids: { readonly server: number; readonly sidecar: number };
  /** Registers what is stopped before the service, the last one first. */
  onStop(stop: () => unknown): void;
}

/**
 * Starts a service, and adds what a benchmark needs. `stop` of the result ends everything. A stack that
 * cannot be opened ends itself.
 */
export async function openService<Stack extends object>(
  options: Partial<Parameters<typeof start>[0]>,
  furnish: (service: StartedService) => Promise<Stack>,
): Promise<Stack & { stop(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), "gold-bench-"));
  const stops: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const running = await start({
      ...{ port: 0, stateDir: dir, reset: false, demo: false, report: () => {} },
      ...options,
    });
    stops.push(() => running.stop());
    const { credentials, state, baseUrl } = running;
    const run = JSON.parse(readFileSync(state.path("run.json"), "utf8")) as {
      database_url: string;
      pids: StartedService["pids"];
    };
    const stack = await furnish({
      ...{ credentials, state, baseUrl, dir, pids: run.pids },
      socket: state.socket("server.sock"),
      operator: asOperator(run.database_url),
      onStop: (one) => void stops.push(one),
    });
    return { ...stack, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
