import { execFile } from "node:child_process";

interface ProgramPlace {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs a program to its end and answers what it printed; one that fails is an error with all that it said. */
export function runProgram(command: string, args: readonly string[], place: ProgramPlace): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { ...place, encoding: "utf8", maxBuffer: 2 ** 26 }, (error, stdout) => {
      if (!error) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}`));
    });
  });
}
