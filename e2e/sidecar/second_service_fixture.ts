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
  const { database_url } = (await readRun(state.dir))!;
  const urlOf = async (login: string) => {
    const password = (await readFile(state.path("keys", `database_${login}`), "utf8")).trim();
    return Object.assign(new URL(database_url), { username: login, password }).href;
  };
  const name = `second_${settings.LISTEN.split(":")[0]}`;
  const [operations, log] = [state.socket(`${name}.sock`), state.path("log", `${name}.log`)];
  const child = startChild(MAIN, {
    GOLD_ENV: "sandbox",
    PUBLIC_BASE_URL: baseUrl,
    DATABASE_URL: await urlOf("gold_api"),
    DELIVERY_DATABASE_URL: await urlOf("gold_delivery"),
    TICKER_DATABASE_URL: await urlOf("gold_ticker"),
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
