import {
  ConfigError,
  defaultOf,
  misspeltSettings,
  readConfig,
  readDeliveryConfig,
  ROLES,
  SETTINGS,
} from "@gold-partner/server";
import type { Command, Row } from "../../command.ts";
import { usage } from "../../failure.ts";
import { oneOf, required } from "../../values.ts";

const explain: Command = {
  words: "config explain",
  usage: `config explain [--role ${ROLES.join("|")}] [--check]`,
  does:
    "shows every setting of the service and its value in this environment; with --check, exits with 2 if one is invalid",
  options: { check: { type: "boolean" }, role: { type: "string", default: "all" } },
  run({ values, env }) {
    const role = oneOf(required(values, "role"), "role", ROLES);
    const faults = faultsOf(env, role === "delivery" ? readDeliveryConfig : readConfig);
    if (values.check === true && faults.length > 0) {
      throw usage(`The configuration has ${faults.length} fault(s): ${faults.join(" ")}`);
    }
    const misspelt = misspeltSettings(env);
    return Promise.resolve({
      title: faults.length === 0
        ? "The service would start with this environment."
        : `The service would not start with this environment: ${faults.length} fault(s).`,
      object: { valid: faults.length === 0, ...(misspelt.length === 0 ? {} : { misspelt }) },
      items: SETTINGS.map((setting): Row => {
        const { name, meaning, secret } = setting;
        return {
          name,
          value: secret && env[name] ? "(hidden)" : env[name] ?? null,
          default: defaultOf(setting, env) ?? null,
          meaning,
          fault: faults.filter((fault) => fault.startsWith(`${name} `)).join(" ") || null,
        };
      }),
    });
  },
};

export const CONFIG_COMMANDS: readonly Command[] = [explain];

type Variables = Readonly<Record<string, string | undefined>>;

function faultsOf(env: Variables, read: (variables: Variables) => unknown): readonly string[] {
  try {
    read(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}
