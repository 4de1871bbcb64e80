import process from "node:process";
import { writeEnvoyFiles } from "./config_folder.ts";
import { readSidecarConfig, SidecarConfigError } from "./settings.ts";

const EXIT_USAGE = 2;
const USAGE =
  "sidecar config: writes what Envoy reads into CONFIG_DIRECTORY, by the settings in the environment.";

/** `sidecar config`: then `envoy -c $CONFIG_DIRECTORY/envoy.json` starts. */
export async function config(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    console.error(USAGE);
    return EXIT_USAGE;
  }
  try {
    for (const path of await writeEnvoyFiles(readSidecarConfig(process.env))) console.log(`wrote ${path}`);
    return 0;
  } catch (error) {
    if (!(error instanceof SidecarConfigError)) throw error;
    console.error(`The configuration has ${error.faults.length} fault(s):\n- ${error.faults.join("\n- ")}`);
    return EXIT_USAGE;
  }
}
