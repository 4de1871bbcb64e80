import { ConfigError, readConfig, SETTINGS } from "@gold-partner/server";
import type { Command, Row } from "../command.ts";
import { usage } from "../failure.ts";

const explain: Command = {
  words: "config explain",
  usage: "config explain [--check]",
  does: "every setting of the service and its value in this environment; with --check, 2 where one is wrong",
  options: { check: { type: "boolean" } },
  run({ values, env }) {
    const faults = faultsOf(env);
    if (values.check === true && faults.length > 0) {
      throw usage(`The configuration has ${faults.length} fault(s): ${faults.join(" ")}`);
    }
    return Promise.resolve({
      title: faults.length === 0
        ? "The service would start with this environment."
        : `The service would not start with this environment: ${faults.length} fault(s).`,
      object: { valid: faults.length === 0 },
      items: SETTINGS.map(({ name, meaning, default: byDefault, secret }): Row => ({
        name,
        value: secret && env[name] ? "(hidden)" : env[name] ?? null,
        default: byDefault ?? null,
        meaning,
        fault: faults.filter((fault) => fault.startsWith(`${name} `)).join(" ") || null,
      })),
    });
  },
};

export const CONFIG_COMMANDS: readonly Command[] = [explain];

function faultsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}
