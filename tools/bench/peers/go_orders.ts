import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { killProgram } from "../../testing/kill_program.ts";
import { findTool } from "../../testing/toxiproxy.ts";
import { until } from "../../testing/until.ts";
import { Wire } from "../../prove/stage/wire.ts";
import { startGenerator } from "../orders/generator_process.ts";
import type { Stack } from "../orders/stack.ts";

/**
 * Starts the Go service on the same Postgres and with the same partners as the service of `stack`, which still
 * issues the tokens. The result is used like `stack`.
 */
export async function openGoOrders(stack: Stack): Promise<Stack> {
  const socket = join(stack.dir, "go_orders.sock");
  const child = spawn(findTool("go_orders"), [socket], {
    env: { PATH: process.env.PATH, DATABASE_URL: stack.databaseUrl },
    stdio: ["pipe", "ignore", "inherit"],
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error("go_orders ended before it listened.");
    return Wire.open(socket).then((wire) => (wire.close(), true), () => false);
  });
  const settings = { ...stack.settings, socket, tokenSocket: stack.settings.socket };
  const generator = await startGenerator(settings);
  return {
    ...{ ...stack, settings, generator, servicePid: child.pid! },
    async stop() {
      await generator.stop();
      await killProgram(child);
    },
  };
}
