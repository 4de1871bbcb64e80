import { ConfigError, readConfig } from "./config.ts";
import { startService } from "./service.ts";

const EXIT_USAGE = 2;
const EXIT_DEPENDENCY = 3;

function readOrExit() {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`The configuration has ${error.faults.length} fault(s):\n- ${error.faults.join("\n- ")}`);
    process.exit(EXIT_USAGE);
  }
}

// Whoever reads the log may go away; the service stays.
process.stdout.on("error", () => {});

const service = await startService(readOrExit(), (line) => console.log(line)).catch((error: Error) => {
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
