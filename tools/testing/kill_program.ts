import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

export async function killProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) {
    await once(child, "exit");
  }
}
