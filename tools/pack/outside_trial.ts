import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { PUBLISHED } from "../check/house.ts";
import { findRuntimes } from "../test/runtimes.ts";
import { ROOT } from "../test/tier.ts";
import { jsrArguments } from "./jsr_arguments.ts";
import { type JsrRegistry, openJsrRegistry, type Publication } from "./jsr_registry_trial.ts";
import type { Loopback } from "./loopback_trial.ts";
import { openNpmRegistry } from "./npm_registry_trial.ts";
import { runProgram } from "./program.ts";
import { stagePackages, TSC } from "./stage.ts";
import { packFolders } from "./tarball.ts";

/** What the published packages ask for, and what a reader who writes TypeScript for Node has beside them. */
const PEERS = ["zod", "@types/node", "undici-types"].map((name) => join(ROOT, "node_modules", name));
/** Whoever looks for the network ends here. */
const NOWHERE = "http://127.0.0.1:9";
const { node, deno } = findRuntimes(ROOT);

type Env = Readonly<Record<string, string | undefined>>;

/** A reader's folder, where nothing of this repository can be found but through a registry. */
export class Project {
  readonly folder: string;
  readonly #env: Env;

  constructor(folder: string, env: Env) {
    this.folder = folder;
    this.#env = env;
  }

  async write(file: string, text: string): Promise<void> {
    await writeFile(join(this.folder, file), text);
  }

  npm(...args: readonly string[]): Promise<string> {
    return this.#run("npm", args);
  }

  node(...args: readonly string[]): Promise<string> {
    return this.#run(node, args);
  }

  deno(...args: readonly string[]): Promise<string> {
    return this.#run(deno, args);
  }

  /** The repository's TypeScript, with the reader's settings. */
  async compile(settings: string): Promise<void> {
    await this.write("tsconfig.json", settings);
    await this.node(TSC, "-p", ".");
  }

  #run(command: string, args: readonly string[]): Promise<string> {
    return runProgram(command, args, { cwd: this.folder, env: this.#env });
  }
}

/** The world outside of this repository: registries that have the packages, and empty projects that ask them. */
export class Outside {
  readonly #folder: string;
  readonly #npm: Loopback;
  readonly #jsr: JsrRegistry;
  #projects = 0;

  private constructor(folder: string, npm: Loopback, jsr: JsrRegistry) {
    this.#folder = folder;
    this.#npm = npm;
    this.#jsr = jsr;
  }

  static async open(): Promise<Outside> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "gold-outside-")));
    try {
      const staged = await stagePackages(join(folder, "staged"));
      const npm = await openNpmRegistry(await packFolders([...staged, ...PEERS], folder));
      return new Outside(folder, npm, await openJsrRegistry());
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#npm.close(), this.#jsr.close()]);
    await rm(this.#folder, { recursive: true });
  }

  async nodeProject(...packages: readonly string[]): Promise<Project> {
    const project = await this.#emptyProject();
    await project.write("package.json", '{ "private": true }');
    await project.npm("install", ...packages);
    return project;
  }

  /** Packages come as "npm:…" or "jsr:…". */
  async denoProject(...packages: readonly string[]): Promise<Project> {
    const project = await this.#emptyProject();
    await project.deno("add", ...packages);
    return project;
  }

  /** Has `deno publish` judge and send each package, to the registry here; answers what it sent, by its name. */
  async publish(): Promise<ReadonlyMap<string, Publication>> {
    for (const folder of PUBLISHED) {
      await runProgram(deno, [...jsrArguments(folder), "--token", "any"], {
        cwd: join(ROOT, folder),
        env: this.#env,
      });
    }
    return this.#jsr.publications;
  }

  async #emptyProject(): Promise<Project> {
    const folder = join(this.#folder, `project_${++this.#projects}`);
    await mkdir(folder);
    return new Project(folder, this.#env);
  }

  /** Nothing else of this process's environment: its settings of npm would reach into the repository. */
  get #env(): Env {
    return {
      PATH: process.env["PATH"],
      HOME: this.#folder,
      DENO_DIR: join(this.#folder, "deno"),
      JSR_URL: this.#jsr.url,
      NPM_CONFIG_CACHE: join(this.#folder, "npm"),
      NPM_CONFIG_REGISTRY: this.#npm.url,
      NPM_CONFIG_UPDATE_NOTIFIER: "false",
      ...{ HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE, NO_PROXY: "127.0.0.1,localhost" },
      NO_COLOR: "1",
    };
  }
}
