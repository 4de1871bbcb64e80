import process from "node:process";
import { parseArgs } from "node:util";
import { LockedError } from "./lock.ts";
import { type Running, start } from "./start.ts";
import { StateError } from "./state.ts";

const OPTIONS = {
  port: { type: "string", default: "8443" },
  state: { type: "string", default: ".gold" },
  "no-demo": { type: "boolean", default: false },
  reset: { type: "boolean", default: false },
  exit: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  envoy: { type: "boolean", default: false },
} as const;

const PORT_MAX = 65_535;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    const port = /^[0-9]{1,5}$/.test(values.port) ? Number(values.port) : 0;
    if (port < 1 || port > PORT_MAX) {
      throw new Error(`--port is a number from 1 to ${PORT_MAX}, not ${values.port}.`);
    }
    return values;
  } catch (error) {
    console.error(
      `${
        (error as Error).message
      }\nnpm start -- [--port N] [--state DIR] [--no-demo] [--reset] [--exit] [--json] [--envoy]`,
    );
    process.exit(EXIT_USAGE);
  }
}

const options = readOptions();
const tell = (step: string, ms: number, what: string) => {
  console.log(
    options.json
      ? JSON.stringify({ step, ms: Math.round(ms), what })
      : `✔ ${step.padEnd(10)} ${`${Math.round(ms)}`.padStart(6)} ms  ${what}`,
  );
};

let running: Running;
try {
  running = await start({
    port: Number(options.port),
    stateDir: options.state,
    reset: options.reset,
    demo: !options["no-demo"],
    envoy: options.envoy,
    tell,
  });
} catch (error) {
  console.error(`npm start did not get there. ${(error as Error).message}`);
  process.exit(error instanceof LockedError || error instanceof StateError ? EXIT_USAGE : EXIT_FAILED);
}

let stopping = options.exit;
if (options.exit) {
  await running.stop();
  process.exit(0);
}
console.log(
  `\nServing at ${running.baseUrl}; credentials in ${
    running.state.path("partners", running.credentials.client_id)
  }. Ctrl-C stops it all.`,
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    stopping = true;
    void running.stop().then(() => process.exit(0));
  });
}
void running.died.then(async (sentence) => {
  if (stopping) return;
  console.error(sentence);
  await running.stop();
  process.exit(EXIT_FAILED);
});
