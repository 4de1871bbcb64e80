import { execFile } from "node:child_process";

interface ProgramPlace {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs a program to its end and returns what it printed. If the program fails, throws an error with all its
 * output.
 */
export function runProgram(command: string, args: readonly string[], place: ProgramPlace): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { ...place, encoding: "utf8", maxBuffer: 2 ** 26 }, (error, stdout) => {
      if (!error) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}`));
    });
  });
}
