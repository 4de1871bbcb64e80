import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { PUBLISHED } from "../check/structure.ts";
import { findRuntimes } from "../test/runtimes.ts";
import { ROOT } from "../test/tier.ts";
import { jsrArguments } from "./jsr_arguments.ts";
import { type JsrRegistry, openJsrRegistry, type Publication } from "./jsr_registry_fixture.ts";
import type { Loopback } from "./loopback_fixture.ts";
import { openNpmRegistry } from "./npm_registry_fixture.ts";
import { runProgram } from "./program.ts";
import { stagePackages, TSC } from "./stage.ts";
import { packFolders } from "./tarball.ts";

/**
 * The dependencies of the published packages, and the type packages that a TypeScript user on Node also
 * installs.
 */
const PEERS = ["zod", "@types/node", "undici-types"].map((name) => join(ROOT, "node_modules", name));
/** The proxy for requests to the network. Nothing listens at this address, so the requests fail. */
const NOWHERE = "http://127.0.0.1:9";
const { node, deno } = findRuntimes(ROOT);

type Env = Readonly<Record<string, string | undefined>>;

/** A user's folder. Programs in it can get this repository's packages only through a registry. */
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
    return this.run("npm", ...args);
  }

  node(...args: readonly string[]): Promise<string> {
    return this.run(node, ...args);
  }

  deno(...args: readonly string[]): Promise<string> {
    return this.run(deno, ...args);
  }

  /** Compiles with the repository's TypeScript and the user's settings. */
  async compile(settings: string): Promise<void> {
    await this.write("tsconfig.json", settings);
    await this.node(TSC, "-p", ".");
  }

  run(command: string, ...args: readonly string[]): Promise<string> {
    return runProgram(command, args, { cwd: this.folder, env: this.#env });
  }
}

/**
 * The surroundings of a user outside this repository: registries that have the packages, and empty projects
 * that install from them.
 */
export class Outside {
  readonly #folder: string;
  readonly #npm: Loopback;
  readonly #jsr: JsrRegistry;
  /** The tarballs of the published packages. */
  readonly tarballs: readonly string[];
  #projects = 0;

  private constructor(folder: string, npm: Loopback, jsr: JsrRegistry, tarballs: readonly string[]) {
    this.#folder = folder;
    this.#npm = npm;
    this.#jsr = jsr;
    this.tarballs = tarballs;
  }

  static async open(): Promise<Outside> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "gold-outside-")));
    try {
      const staged = await stagePackages(join(folder, "staged"));
      const packed = await packFolders([...staged, ...PEERS], folder);
      const tarballs = packed.slice(0, staged.length).map(({ path }) => path);
      return new Outside(folder, await openNpmRegistry(packed), await openJsrRegistry(), tarballs);
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

  /** An empty folder with the client, installed from its tarball alone. No registry can be reached. */
  async clientProject(): Promise<Project> {
    const project = await this.#emptyProject();
    const tarball = this.tarballs.find((path) => basename(path).startsWith("gold-partner-client-"))!;
    await project.npm("install", "--registry", NOWHERE, tarball);
    return project;
  }

  /** Each package is given as "npm:…" or "jsr:…". */
  async denoProject(...packages: readonly string[]): Promise<Project> {
    const project = await this.#emptyProject();
    await project.deno("add", ...packages);
    return project;
  }

  /**
   * Makes `deno publish` check each package and send it to the local registry. Returns the files that the
   * registry received, by the name of the package.
   */
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

  /**
   * Passes on only PATH from the environment of this process, because the npm settings in that environment
   * would point into the repository.
   */
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
