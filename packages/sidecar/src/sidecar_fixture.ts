import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

/** Settings of a sidecar in production, without a fault. */
export const SETTINGS = {
  GOLD_ENV: "production",
  PUBLIC_BASE_URL: "https://api.example",
  UPSTREAMS: "unix:/run/a.sock|unix:/run/a_operations.sock, unix:/run/b.sock",
  CONFIG_DIRECTORY: "/etc/gold/envoy",
  TRUST_DIRECTORY: "/etc/gold/trust",
  SERVER_CERTIFICATE_DIRECTORY: "/etc/gold/tls",
};

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Starts `sidecar` as a supervisor does. */
export function startSidecar(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...runtimeArguments(MAIN), ...args], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", error: "" };
  child.stdout.setEncoding("utf8").on("data", (part) => said.out += part);
  child.stderr.setEncoding("utf8").on("data", (part) => said.error += part);
  return { child, ended: once(child, "close").then(([code]) => ({ code, ...said })) };
}

export const runSidecar = (...given: Parameters<typeof startSidecar>): Promise<Ended> =>
  startSidecar(...given).ended;
