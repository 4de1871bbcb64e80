import { parseOptions } from "@gold-partner/command-line";
import { parseSocket } from "../settings_values.ts";
import { drainEnvoy, type DrainOptions } from "./drain_envoy.ts";

const EXIT_USAGE = 2;
const EXIT_DEPENDENCY = 3;
const DEFAULTS = { admin: "unix:/run/envoy/admin.sock", seconds: "25" } as const;
const SECONDS_MAX = 600;
export const DRAIN_USAGE =
  `sidecar drain [--admin ${DEFAULTS.admin}] [--seconds ${DEFAULTS.seconds}]: makes Envoy ask its clients to disconnect, and waits until they have disconnected, for at most --seconds (1 to ${SECONDS_MAX}).`;

/** `sidecar drain`: a supervisor runs it before it stops the service, while Envoy still runs. */
export async function drain(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === "string") {
    console.error(`${options}\n${DRAIN_USAGE}`);
    return EXIT_USAGE;
  }
  const startedMs = performance.now();
  try {
    const { connections, requests, closed } = await drainEnvoy(options);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(
      closed && connections === 0
        ? `Envoy is drained: no connection is left after ${seconds} s.`
        : `Envoy is not drained: after ${seconds} s it ${
          closed ? "no longer accepts connections" : "still accepts connections"
        } and has ${connections} open, with ${requests} request(s) in flight. They end when Envoy stops.`,
    );
    return 0;
  } catch (error) {
    console.error(
      `Envoy was not drained: its admin interface at unix:${options.admin.path} did not answer (${
        (error as Error).message
      }). Check that Envoy is running and that --admin is its ADMIN_LISTEN.`,
    );
    return EXIT_DEPENDENCY;
  }
}

/** Reads the options. If one is wrong, returns a sentence that names it. */
function readOptions(args: readonly string[]): DrainOptions | string {
  try {
    const { values, positionals: [extra] } = parseOptions(args, {
      admin: { type: "string", default: DEFAULTS.admin },
      seconds: { type: "string", default: DEFAULTS.seconds },
    });
    if (extra !== undefined) return `drain takes options only; got ${extra}.`;
    const seconds = Number(values.seconds);
    if (!/^[1-9][0-9]{0,2}$/.test(values.seconds) || seconds > SECONDS_MAX) {
      return `--seconds must be a whole number from 1 to ${SECONDS_MAX}; got ${values.seconds}.`;
    }
    return { admin: parseAdmin(values.admin), seconds };
  } catch (error) {
    return (error as Error).message;
  }
}

function parseAdmin(text: string): DrainOptions["admin"] {
  try {
    return parseSocket(text);
  } catch (error) {
    throw new Error(`--admin ${(error as Error).message}`);
  }
}
