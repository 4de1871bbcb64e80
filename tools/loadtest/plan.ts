import { join } from "node:path";
import { parseOptions } from "@gold-partner/command-line";
import { type Load, loadOf, PROFILES } from "../../loadtest/lib/profiles.ts";
import { type ScenarioName, SCENARIOS } from "../../loadtest/lib/service_levels.ts";

/** The settings of a run. */
export interface RunPlan {
  readonly scenario: ScenarioName;
  readonly load: Load;
  /** The names of the partner files: 0, 1, … or limited. */
  readonly partners: readonly string[];
  readonly partnersDir: string;
  readonly stateDir: string;
  /** The URL from --base-url. If undefined, the URL in the partner files is used. */
  readonly baseUrl?: string;
  readonly resultsDir: string;
  /** The command that makes the partner files. */
  readonly cure: string;
}

/** Wrong usage. The message says what is wrong. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

export const USAGE =
  `npm run loadtest -- SCENARIO [--partners N] [--profile P] [--rate R] [--duration D] [--base-url URL]
                                [--state DIR] [--partners-dir DIR] [--results DIR]
npm run loadtest -- compare BEFORE AFTER [--json]     two folders of results
  SCENARIO   ${SCENARIOS.join(" | ")}
  --profile  ${Object.keys(PROFILES).join(" | ")}
  --rate     iterations per second at the peak, for all partners together
  --duration of the whole run: 30s, 5m, 1h30m`;

const OPTIONS = {
  partners: { type: "string", default: "1" },
  profile: { type: "string" },
  rate: { type: "string" },
  duration: { type: "string" },
  "base-url": { type: "string" },
  state: { type: "string" },
  "partners-dir": { type: "string" },
  results: { type: "string" },
} as const;

/** Reads the arguments. `now` becomes a part of the name of the folder of results. */
export function readPlan(args: readonly string[], root: string, now: Date): RunPlan {
  const { values, positionals } = requireUsage(() => parseOptions(args, OPTIONS));
  const [name = "", ...more] = positionals;
  const scenario = SCENARIOS.find((one) => one === name);
  if (!scenario || more.length > 0) {
    throw new UsageError(name ? `There is no scenario "${positionals.join(" ")}".` : "SCENARIO is missing.");
  }
  const { partners, profile, rate, duration } = values;
  const load = requireUsage(() =>
    loadOf({ PROFILE: profile, RATE: rate, DURATION: duration, PARTNERS: partners })
  );
  const limited = scenario === "limiter";
  if (limited && load.partners > 1) {
    throw new UsageError('The limiter scenario runs with the partner "limited" only. Leave out --partners.');
  }
  const stateDir = values.state ?? join(root, ".gold");
  const partnersDir = values["partners-dir"] ?? join(stateDir, "loadtest");
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  return {
    scenario,
    load,
    partners: limited ? ["limited"] : Array.from({ length: load.partners }, (_, n) => `${n}`),
    partnersDir,
    stateDir,
    ...(values["base-url"] === undefined ? {} : { baseUrl: readBaseUrl(values["base-url"]) }),
    resultsDir: values.results ?? join(stateDir, "loadtest", "results", `${time}-${scenario}`),
    cure: `npm run gold -- loadtest prepare --partners ${load.partners}` +
      (values.state === undefined ? "" : ` --state ${values.state}`) +
      (partnersDir === join(root, ".gold", "loadtest") ? "" : ` --out ${partnersDir}`),
  };
}

/** Reads with `parse`. What it refuses is wrong usage. */
export function requireUsage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : `${error}`);
  }
}

function readBaseUrl(text: string): string {
  if (/^https:\/\/[^/]+$/.test(text)) return text;
  throw new UsageError(`--base-url must be https://HOST or https://HOST:PORT; got ${text}.`);
}
