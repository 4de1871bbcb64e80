import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import process from "node:process";
import { OFF_REFUSED, parseOperatorKeys } from "@gold-partner/approvals";
import { checkDatabaseUrl } from "@gold-partner/database";
import { parseArgs } from "node:util";
import { FRONT_SOCKET } from "../front/haproxy.ts";
import {
  isEverythingSigned,
  readDeploymentFault,
  syncTrust,
  type TrustSyncOptions,
  writeTrustOnce,
} from "./trust_sync.ts";

const EXIT_USAGE = 2;
const EXIT_DEPENDENCY = 3;
const POLL_MS = 1000;
export const KEEP_USAGE =
  "sidecar keep [--once]: writes TRUST_DIRECTORY from DATABASE_URL, and partners' addresses to HAProxy in FRONT_DIRECTORY, once a second; --once writes TRUST_DIRECTORY once and exits.";

type Settings = Pick<TrustSyncOptions, "databaseUrl" | "folder" | "frontSocket" | "operatorKeys">;
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * `sidecar keep`: runs beside Envoy and keeps Envoy's trust and HAProxy's addresses equal to the database.
 */
export async function keep(args: readonly string[]): Promise<number> {
  const once = readOnce(args);
  if (once === undefined) return refuse(KEEP_USAGE);
  const settings = await readSettings(process.env);
  if (typeof settings === "string") return refuse(settings);
  if (!settings.operatorKeys && process.env.GOLD_ENV !== "sandbox") {
    // If the database cannot be read now, the proxy keeps its last files, so the process starts.
    const isRefused = await isEverythingSigned(settings.databaseUrl).catch(() => false);
    if (isRefused) return refuse(`OPERATOR_KEYS ${OFF_REFUSED}`);
  }
  if (settings.operatorKeys) {
    const fault = await readDeploymentFault(settings.databaseUrl, settings.operatorKeys).catch(() =>
      undefined
    );
    if (fault) return refuse(`OPERATOR_KEYS ${fault}`);
  }
  // Keep running if the reader of standard output exits.
  process.stdout.on("error", () => {});
  const options = { ...settings, pollMs: POLL_MS, now: Date.now, write: (line: string) => console.log(line) };
  if (once) return await writeOnce(options);
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  const signalled = new Promise((resolve) => signals.forEach((signal) => process.once(signal, resolve)));
  const trustSync = syncTrust(options);
  await signalled;
  await trustSync.stop();
  return 0;
}

function refuse(sentence: string): number {
  console.error(sentence);
  return EXIT_USAGE;
}

async function writeOnce(options: TrustSyncOptions): Promise<number> {
  try {
    await writeTrustOnce(options);
    return 0;
  } catch (error) {
    console.error(`The CA certificates and revocation lists were not written. ${(error as Error).message}`);
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

/** Reads the settings. If any is wrong, returns a text that lists every fault. */
async function readSettings(variables: Variables): Promise<Settings | string> {
  const { DATABASE_URL: databaseUrl = "", TRUST_DIRECTORY: folder = "", FRONT_DIRECTORY: front = "" } =
    variables;
  const { GOLD_ENV: environment } = variables;
  const faults: string[] = [];
  try {
    checkDatabaseUrl(databaseUrl, environment);
  } catch (error) {
    faults.push(`DATABASE_URL ${(error as Error).message}`);
  }
  if (!folder.startsWith("/")) {
    faults.push(
      `TRUST_DIRECTORY must be the absolute path of the folder that Envoy watches; got "${folder}".`,
    );
  }
  if (front !== "" && !front.startsWith("/")) {
    faults.push(
      `FRONT_DIRECTORY must be the absolute path of HAProxy's folder, or empty without HAProxy; got "${front}".`,
    );
  }
  const { OPERATOR_KEYS: keys = environment === "sandbox" ? "off" : "" } = variables;
  let operatorKeys: Settings["operatorKeys"];
  try {
    if (keys !== "off" && !isAbsolute(keys)) {
      throw new Error(
        `must be the absolute path of the file with the operators' first keys, or off; got "${keys}".`,
      );
    }
    if (keys !== "off") operatorKeys = await parseOperatorKeys(await readFile(keys, "utf8"));
  } catch (error) {
    faults.push(`OPERATOR_KEYS ${(error as Error).message}`);
  }
  const frontSocket = front === "" ? undefined : join(front, FRONT_SOCKET);
  return faults.length === 0 ? { databaseUrl, folder, frontSocket, operatorKeys } : faults.join("\n");
}
