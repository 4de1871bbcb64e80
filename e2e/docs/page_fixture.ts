import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expectShown, readSteps } from "./doc_fixture.ts";
import { findFreePort } from "@gold-partner/dev/postgres";
import { openShell, type Shell } from "./shell_fixture.ts";
import { type Started, startUntilReady } from "@gold-partner/dev/testing";

export const REPOSITORY: string = fileURLToPath(new URL("../..", import.meta.url));
/** The base URL that the pages show. */
const PAGE_URL = "https://localhost:8443";
/** TypeScript blocks are removed here, because other tests run them. */
const TYPESCRIPT = /^```ts\n[\s\S]*?^```$/gm;

export async function readPage(name: string): Promise<string> {
  const page = await readFile(join(REPOSITORY, "docs", name), "utf8");
  return page.replace(TYPESCRIPT, (block) => block.replace(/[^\n]/g, ""));
}

/**
 * A reader of the guide who acts as partner and as operator. The reader works in an empty folder, with a
 * service that `npm start -- --no-demo` started.
 */
export class Reader {
  readonly folder: string;
  readonly started: Started;
  readonly #env: Record<string, string>;
  readonly #shells: Shell[] = [];

  private constructor(folder: string, started: Started, env: Record<string, string>) {
    [this.folder, this.started, this.#env] = [folder, started, env];
  }

  static async arrive(...options: string[]): Promise<Reader> {
    const folder = await mkdtemp(join(tmpdir(), "gold-guide-"));
    const state = join(folder, "state");
    const started = await startUntilReady(
      state,
      "--port",
      `${await findFreePort()}`,
      "--no-demo",
      ...options,
    );
    return new Reader(folder, started, {
      PATH: process.env.PATH!,
      HOME: folder,
      BASE_URL: started.run.base_url,
      STATE: state,
      WEBHOOK_PORT: `${await findFreePort()}`,
      REPOSITORY,
    });
  }

  /** Opens a shell that exports every variable that it sets, so that openShellAfter() can copy them. */
  async openShell(): Promise<Shell> {
    const shell = openShell(this.folder, this.#env);
    this.#shells.push(shell);
    await shell.run("set -a");
    return shell;
  }

  /**
   * Opens a shell with the variables, functions and working folder that `first` has now. The new shell does
   * not see later changes in `first`.
   */
  async openShellAfter(first: Shell): Promise<Shell> {
    const set = join(this.folder, `set_${this.#shells.length}.sh`);
    await first.run(`{ export -p; declare -f; printf 'cd %q\\n' "$PWD"; } > '${set}'`);
    const shell = await this.openShell();
    await shell.run(`. '${set}'`);
    return shell;
  }

  /**
   * Types every block of a page, or of its part before `until`, and compares the output with what the page
   * shows. Returns what each block printed.
   */
  async follow(shell: Shell, name: string, until?: string): Promise<string[]> {
    const printed: string[] = [];
    const page = await readPage(name);
    const steps = readSteps(until === undefined ? page : page.slice(0, page.indexOf(until)));
    for (const { line, commands, shown = "" } of steps) {
      try {
        const came = await shell.run(commands);
        printed.push(came);
        // Accept any output of a block with a `gold` command for which the page shows no output.
        if (shown || !/^gold /m.test(commands)) {
          expectShown(came.replaceAll(this.started.run.base_url, PAGE_URL), shown);
        }
      } catch (error) {
        throw new Error(`docs/${name}, line ${line}: ${(error as Error).message}`);
      }
    }
    return printed;
  }

  async leave(): Promise<void> {
    for (const shell of this.#shells.reverse()) await shell.stop();
    await this.started.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
