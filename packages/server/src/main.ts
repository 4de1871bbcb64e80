import { getPriority, setPriority } from "node:os";
import { ConfigError, readConfig, readDeliveryConfig } from "./settings/config.ts";
import { startDelivery } from "./process/delivery_service.ts";
import { createLog } from "./operations/log.ts";
import { openLineWriter } from "./operations/line_writer.ts";
import { EXIT_DEPENDENCY, keepProcesses, numberProcesses } from "./process/processes.ts";
import { readRole, type Role } from "./settings/role.ts";
import { misspeltSettings } from "./settings/settings.ts";
import { type Service, startService } from "./process/service.ts";

const EXIT_USAGE = 2;
/**
 * A process that accepts new work comes a little after Envoy and Postgres, if they share a core: what was begun is
 * finished first. With 5 instead of 2, a hostile partner's own program on the same machine would delay others.
 */
const PRIORITY = 2;

const args = process.argv.slice(2);
const role = readRole(args);
if (!role) {
  console.error(`serve accepts only --role all, api or delivery; got "${args.join(" ")}".`);
  process.exit(EXIT_USAGE);
}

function readOrExit<T>(read: (variables: typeof process.env) => T): T {
  try {
    return read(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`The configuration has ${error.faults.length} fault(s):\n- ${error.faults.join("\n- ")}`);
    process.exit(EXIT_USAGE);
  }
}

// A lower number would need a privilege.
if (getPriority() < PRIORITY) setPriority(PRIORITY);

async function start(role: Role): Promise<Service> {
  for (const text of misspeltSettings(process.env)) console.error(text);
  if (role === "delivery") return await startDelivery(readOrExit(readDeliveryConfig), write);
  const environments = readOrExit(numberProcesses);
  const [config] = environments.map((one) => readOrExit(() => readConfig(one, role)));
  if (environments.length === 1) return await startService(config!, write);
  return keepProcesses(environments, createLog(write, () => new Date()));
}

// Keep running if the reader of the log goes away.
process.stdout.on("error", () => {});

const { write, flush } = openLineWriter((text) => process.stdout.write(text));
process.on("exit", flush);
const service = await start(role).catch((error: Error) => {
  console.error(`The service did not start. ${error.message}`);
  process.exit(EXIT_DEPENDENCY);
});

// A signal may arrive twice: a supervisor signals the whole process group, and a parent forwards the signal.
// The second signal then waits for the stop that the first signal began.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => void service.stop().then(() => process.exit(0)));
}

// Stop when the pipe from the supervisor closes, because a killed supervisor cannot send a signal.
if (process.env.STOP_WITH_STDIN === "1") {
  process.stdin.resume().once("end", () => void service.stop().then(() => process.exit(0)));
}
