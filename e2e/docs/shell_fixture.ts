import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Shell {
  /** Runs the lines unchanged and returns what they print. */
  run(lines: string): Promise<string>;
  stop(): Promise<void>;
}

const LINES_MS = 180_000;

/**
 * Opens one bash for several code blocks of a guide, so that a block sees the variables of earlier blocks.
 * Bash exits at the first command that fails.
 */
export function openShell(folder: string, env: Record<string, string>): Shell {
  const bash = spawn("bash", ["--norc", "-euo", "pipefail"], { cwd: folder, env, stdio: "pipe" });
  // End background jobs of a block with the shell.
  bash.stdin.write("trap 'kill $(jobs -p) 2>&-' EXIT\n");
  // Ignore a broken pipe, which only means that bash has ended. run() reports that.
  bash.stdin.on("error", () => {});
  bash.stdout.setEncoding("utf8");
  bash.stderr.resume();
  const ended = once(bash, "close");
  let count = 0;
  return {
    async run(lines) {
      const file = join(folder, `lines_${++count}`);
      await writeFile(`${file}.sh`, lines);
      const done = once(bash.stdout, "data").then(() => true);
      const timer = setTimeout(() => bash.kill("SIGKILL"), LINES_MS);
      bash.stdin.write(`. '${file}.sh' >'${file}.out' 2>'${file}.err' </dev/null\necho done\n`);
      const alive = await Promise.race([done, ended.then(() => false)]);
      clearTimeout(timer);
      // Ignore missing files: neither file exists if the shell had already ended.
      const read = (name: string) => readFile(name, "utf8").catch(() => "");
      const out = await read(`${file}.out`);
      if (!alive) {
        // A background job of an earlier block, such as a receiver, writes its errors to the file of its
        // block.
        const names = Array.from({ length: count }, (_, n) => join(folder, `lines_${n + 1}.err`));
        const errors = (await Promise.all(names.map(read))).join("");
        throw new Error(`The shell has ended: a command failed or took too long.\n${lines}\n${out}${errors}`);
      }
      return out;
    },
    async stop() {
      bash.stdin.end();
      await ended;
    },
  };
}
