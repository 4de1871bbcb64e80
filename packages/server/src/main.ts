import { ConfigError, readConfig, readDeliveryConfig } from "./config.ts";
import { startDelivery } from "./delivery_service.ts";
import { readRole } from "./role.ts";
import { startService } from "./service.ts";

const EXIT_USAGE = 2;
const EXIT_DEPENDENCY = 3;

const args = process.argv.slice(2);
const role = readRole(args);
if (!role) {
  console.error(`serve takes --role all, api or delivery and nothing else, not "${args.join(" ")}".`);
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

// Whoever reads the log may go away; the service stays.
process.stdout.on("error", () => {});

const write = (line: string) => console.log(line);
const starting = role === "delivery"
  ? startDelivery(readOrExit(readDeliveryConfig), write)
  : startService(readOrExit((variables) => readConfig(variables, role)), write);
const service = await starting.catch((error: Error) => {
  console.error(`The service did not start. ${error.message}`);
  process.exit(EXIT_DEPENDENCY);
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.once(signal, () => void service.stop().then(() => process.exit(0)));
}

// A supervisor that was killed can stop nothing any more, but its end of the pipe closes with it.
if (process.env.STOP_WITH_STDIN === "1") {
  process.stdin.resume().once("end", () => void service.stop().then(() => process.exit(0)));
}
