import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { refuseBusyPort } from "./postgres/mod.ts";
import type { Running, StartOptions } from "./running.ts";
import { openState, partnerCaKey, type State, StateError } from "./state.ts";
import { isMigrated, startEarly } from "./early_start.ts";
import { startWatchdog } from "./watchdog.ts";

const HTTPS_PORT = 443;

/**
 * Starts everything on one machine: database, migrations, CA, service, gateway, and a partner that trades.
 */
export async function start(options: StartOptions): Promise<Running> {
  const { port, stateDir, reset } = options;
  const state = await openState(stateDir, reset);
  const stops: (() => Promise<void>)[] = [
    () => state.release(),
    () => rm(state.path("run.json"), { force: true }),
  ];
  const stop = async () => {
    // Ignore errors, so that a part that fails to stop does not keep the other parts running.
    for (const one of stops.splice(0).reverse()) {
      await one().catch((error: Error) => console.error(error.message));
    }
  };
  try {
    // Remove the run.json of a killed start, so that nobody mistakes it for the file of this start.
    await rm(state.path("run.json"), { force: true });
    await refuseBusyPort(port);
    await ensureKeys(state);
    const baseUrl = `https://localhost${port === HTTPS_PORT ? "" : `:${port}`}`;
    const watchdog = await startWatchdog(state.path());
    stops.push(() => watchdog.stop());
    const migrated = isMigrated(state, baseUrl);
    const early = migrated ? await startEarly(state, baseUrl, port, watchdog, options.lanes) : undefined;
    if (early) {
      // Ignore a failure here: build() awaits the same promise and starts Postgres again if it failed.
      stops.push(() => early.postgres.then((server) => server.stop(), () => {}), () => early.service.stop());
    }
    // Load this module only now, because it takes half a second. The parts of startEarly() load meanwhile.
    const { build } = await import("./build.ts");
    return {
      ...await build({ options, state, baseUrl, watchdog, migrated, early, stops }),
      baseUrl,
      state,
      stop,
    };
  } catch (error) {
    options.onFailure?.(error as Error);
    await stop();
    throw error;
  }
}

/**
 * Creates the keys that protect the secrets in the database. Throws if keys or database were lost: the first
 * start creates the keys, then the database, then the partner CA, so a later part must not exist without an
 * earlier one.
 */
async function ensureKeys(state: State): Promise<void> {
  const needed = existsSync(state.path("postgres"));
  if (!needed && existsSync(partnerCaKey(state))) {
    throw new StateError(
      `${state.path("postgres")} is missing. It held the books and the partners whose keys are still here. ` +
        `Restore it, or start over: npm start -- --reset`,
    );
  }
  for (const name of ["pepper", "sealing_key"]) {
    const file = state.path("keys", name);
    if (needed && !existsSync(file)) {
      throw new StateError(
        `${file} is missing. Without it, the secrets in the database cannot be read. ` +
          `Restore it, or start over: npm start -- --reset`,
      );
    }
    await state.secret(name);
  }
}
