import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { awaitReady, type Child, startChild } from "@gold-partner/dev";
import { readRun } from "@gold-partner/dev/testing";
import type { Stack } from "../contract/stack_fixture.ts";

const MAIN = fileURLToPath(new URL("../../packages/server/src/main.ts", import.meta.url));

/** Starts another process of the service on the same database, which listens on another address. */
export async function startSecondService(
  { running: { state, baseUrl } }: Stack,
  settings: { readonly LISTEN: string; readonly PROXY_SECRET?: string },
): Promise<Child> {
  const url = new URL((await readRun(state.dir))!.database_url);
  url.username = "gold_api";
  url.password = (await readFile(state.path("keys", "database_gold_api"), "utf8")).trim();
  const name = `second_${settings.LISTEN.split(":")[0]}`;
  const [operations, log] = [state.socket(`${name}.sock`), state.path("log", `${name}.log`)];
  const child = startChild(MAIN, {
    GOLD_ENV: "sandbox",
    PUBLIC_BASE_URL: baseUrl,
    DATABASE_URL: url.href,
    OPERATIONS_LISTEN: `unix:${operations}`,
    PEPPER_SOURCE: `file:${state.path("keys", "pepper")}`,
    SEALING_KEY_SOURCE: `file:${state.path("keys", "sealing_key")}`,
    WEBHOOK_CA: state.path("pki", "webhook_ca.pem"),
    ...settings,
  }, log);
  try {
    await awaitReady(operations, child, log);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return child;
}
