import process from "node:process";
import { misspeltSettings } from "@gold-partner/command-line";
import { writeConfigFiles } from "./config_folder.ts";
import { readSidecarConfig, SIDECAR_SETTINGS, type SidecarConfig, SidecarConfigError } from "./settings.ts";

const EXIT_USAGE = 2;
export const CONFIG_USAGE =
  "sidecar config [--explain]: writes Envoy's configuration into CONFIG_DIRECTORY, from the settings in the environment; --explain lists the settings instead.";

/** `sidecar config`: writes the files with which `envoy -c $CONFIG_DIRECTORY/envoy.json` starts. */
export async function config(args: readonly string[]): Promise<number> {
  if (args.join(" ") === "--explain") {
    explain();
    return 0;
  }
  if (args.length > 0) {
    console.error(CONFIG_USAGE);
    return EXIT_USAGE;
  }
  const names = SIDECAR_SETTINGS.map(({ name }) => name);
  for (const text of misspeltSettings(names, process.env)) console.error(text);
  try {
    for (const path of await writeFiles(readSidecarConfig(process.env))) console.log(`wrote ${path}`);
    return 0;
  } catch (error) {
    if (!(error instanceof SidecarConfigError)) throw error;
    console.error(`The configuration has ${error.faults.length} fault(s):\n- ${error.faults.join("\n- ")}`);
    return EXIT_USAGE;
  }
}

async function writeFiles(settings: SidecarConfig): Promise<string[]> {
  return await writeConfigFiles(settings).catch(({ message }: Error) => {
    throw new SidecarConfigError([`CONFIG_DIRECTORY or FRONT_DIRECTORY cannot be written: ${message}.`]);
  });
}

function explain(): void {
  const widthOf = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
  const [names, defaults] = [SIDECAR_SETTINGS.map(({ name }) => name), SIDECAR_SETTINGS.map(defaultOf)];
  for (const [row, { meaning }] of SIDECAR_SETTINGS.entries()) {
    console.log(
      `${names[row]!.padEnd(widthOf(names))}  ${defaults[row]!.padEnd(widthOf(defaults))}  ${meaning}`,
    );
  }
}

const defaultOf = (setting: { readonly default?: string }): string =>
  setting.default === undefined ? "(must be set)" : setting.default || "(none)";
