import process from "node:process";
import { checkDatabaseUrl } from "@gold-partner/database";
import { parseArgs } from "node:util";
import { type KeeperOptions, keepTrust, writeTrustOnce } from "./keeper.ts";

const EXIT_USAGE = 2;
const EXIT_DEPENDENCY = 3;
const POLL_MS = 1000;
const USAGE =
  "sidecar keep [--once]: writes TRUST_DIRECTORY from DATABASE_URL and keeps it true; --once ends then.";

type Variables = Readonly<Record<string, string | undefined>>;

/** `sidecar keep`: the process beside Envoy that keeps the files it watches. */
export async function keep(args: readonly string[]): Promise<number> {
  const once = readOnce(args);
  if (once === undefined) return refuse(USAGE);
  const settings = readSettings(process.env);
  if (typeof settings === "string") return refuse(settings);
  // Whoever reads the log may go away; the keeper stays.
  process.stdout.on("error", () => {});
  const options = { ...settings, pollMs: POLL_MS, now: Date.now, write: (line: string) => console.log(line) };
  if (once) return await writeOnce(options);
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  const told = new Promise((resolve) => signals.forEach((signal) => process.once(signal, resolve)));
  const keeper = keepTrust(options);
  await told;
  await keeper.stop();
  return 0;
}

function refuse(sentence: string): number {
  console.error(sentence);
  return EXIT_USAGE;
}

async function writeOnce(options: KeeperOptions): Promise<number> {
  try {
    await writeTrustOnce(options);
    return 0;
  } catch (error) {
    console.error(`The trust was not written. ${(error as Error).message}`);
    return EXIT_DEPENDENCY;
  }
}

function readOnce(args: readonly string[]): boolean | undefined {
  try {
    return parseArgs({ args: [...args], options: { once: { type: "boolean" } } }).values.once ?? false;
  } catch {
    return undefined;
  }
}

/** The settings, or what is wrong with them. */
function readSettings(variables: Variables): Pick<KeeperOptions, "databaseUrl" | "folder"> | string {
  const { DATABASE_URL: databaseUrl = "", TRUST_DIRECTORY: folder = "", GOLD_ENV: environment } = variables;
  const faults: string[] = [];
  try {
    checkDatabaseUrl(databaseUrl, environment);
  } catch (error) {
    faults.push(`DATABASE_URL ${(error as Error).message}`);
  }
  if (!folder.startsWith("/")) {
    faults.push("TRUST_DIRECTORY must be the absolute path of the folder that Envoy watches.");
  }
  return faults.length === 0 ? { databaseUrl, folder } : faults.join("\n");
}
