import { differences } from "./similar.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Shorter names resemble too many other variables. */
const LENGTH_MIN = 4;
/** From this length on, a misspelt name may have two wrong letters. */
const LONG = 8;
/** Terminals set these, and they resemble settings. */
const OTHERS: readonly string[] = ["LINES"];

/**
 * A sentence for each variable whose name resembles a setting that is not set. A missing, wrong, additional or swapped
 * letter counts as one difference, and lower case as none.
 */
export function misspeltSettings(settings: readonly string[], variables: Variables): readonly string[] {
  const unset = settings.filter((name) => variables[name] === undefined && name.length >= LENGTH_MIN);
  // Deno lists the environment in no fixed order.
  return Object.keys(variables).sort().flatMap((variable) => {
    if (settings.includes(variable) || OTHERS.includes(variable)) return [];
    const setting = unset.find((name) =>
      differences(variable.toUpperCase(), name) <= (name.length < LONG ? 1 : 2)
    );
    return setting === undefined
      ? []
      : [`${variable} is not a setting and has no effect. Did you mean ${setting}?`];
  });
}
