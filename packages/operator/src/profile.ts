import { readFileSync, statSync } from "node:fs";
import { usage } from "./failure.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of a person that a profile may have. */
const SETTINGS = [
  ...["DATABASE_URL", "READ_DATABASE_URL", "MIGRATION_DATABASE_URL"],
  ...["GOLD_ENV", "GOLD_KEYS", "GOLD_SSH_KEY", "OPERATOR_KEYS", "HEADS_FILE", "GRAFANA_URL"],
];
/** The permissions of everybody but the owner. */
const OTHERS = 0o077;

/**
 * Adds the settings of the file that GOLD_PROFILE names. A variable of the environment goes before the setting
 * of the same name.
 *
 * @throws Failure when the file is missing, others may read it, or it has anything but known settings.
 */
export function withProfile(env: Environment): Environment {
  const file = env.GOLD_PROFILE;
  if (!file) return env;
  const fault = (words: string) => usage(`GOLD_PROFILE names ${file}, ${words}`);
  let settings: unknown;
  try {
    if ((statSync(file).mode & OTHERS) !== 0) {
      throw fault("which other users may read or change. It can hold a password: run `chmod 600` on it.");
    }
    settings = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw fault("which is not JSON.");
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw fault(`which cannot be read: ${(error as Error).message}.`);
  }
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
    throw fault('which must be a JSON object, such as {"DATABASE_URL": "postgres://…"}.');
  }
  for (const [name, value] of Object.entries(settings)) {
    if (!SETTINGS.includes(name)) throw fault(`which has ${name}. It may have ${SETTINGS.join(", ")}.`);
    if (typeof value !== "string") throw fault(`in which ${name} is not a text.`);
  }
  return { ...settings, ...env };
}
