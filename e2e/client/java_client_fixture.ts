import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";
import { ClientProgram } from "./client_program_fixture.ts";

const BUILD_MS = 300_000;
const MISSING =
  "Maven with Java 17 or newer was not found on PATH. It builds the Java client. Install both " +
  "(Debian: apt-get install maven openjdk-17-jdk-headless).";
/** Options with which short Java programs run faster. */
export const SHORT_LIVED = ["-Xshare:auto", "-XX:TieredStopAtLevel=1"] as const;
export const JAVA_PACKAGE: string = fileURLToPath(new URL("../../packages/client/java", import.meta.url));

/** Runs a program, and returns what it prints. Throws with its output unless it exits with 0. */
export async function run(command: string, args: readonly string[], env: object = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    env: { ...process.env, LC_ALL: "C.UTF-8", ...env },
    timeout: BUILD_MS,
    maxBuffer: 1 << 26,
  }).catch((error: Error & { code?: unknown; stdout?: string; stderr?: string }) => {
    if (error.code === "ENOENT") throw new Error(MISSING);
    throw new Error(`${error.message}\n${error.stdout}${error.stderr}`);
  });
  return stdout;
}

/** The Java client's jar, which Maven built into a temporary folder. Maven also runs the package's own tests. */
export class JavaBuild {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(...words: string[]): Promise<JavaBuild> {
    const folder = temporaryFolder("gold-java");
    const options = ["--quiet", "--batch-mode", "--file", join(JAVA_PACKAGE, "pom.xml")];
    await run("mvn", [...options, `-Dgold.target=${folder}`, ...words, "package"]);
    return new JavaBuild(folder);
  }

  /** The jar, and the jars that it needs. */
  get classPath(): string {
    return [join(this.folder, "*"), join(this.folder, "lib/*")].join(delimiter);
  }

  /** How many of the package's own tests passed. Maven fails if another one did not. */
  countTests(): number {
    const reports = join(this.folder, "surefire-reports");
    const counts = readdirSync(reports).filter((name) => name.endsWith(".xml")).map((name) =>
      /<testsuite [^>]*\btests="(\d+)"/.exec(readFileSync(join(reports, name), "utf8"))
    );
    return counts.reduce((sum, found) => sum + Number(found![1]), 0);
  }

  /** Runs a program of one source file, and returns what it prints. */
  runSource(file: string, credentials: string): Promise<string> {
    return run("java", [...SHORT_LIVED, "-cp", this.classPath, file], { GOLD_CREDENTIALS: credentials });
  }
}

/** A process that makes the calls of a test with the Java client. */
export class JavaClient extends ClientProgram {
  constructor(build: JavaBuild, credentials: string, plan: object) {
    const classPath = [build.classPath, join(build.folder, "test-classes")].join(delimiter);
    super("java", [
      ...[...SHORT_LIVED, "-cp", classPath, "gold.partner.ClientFixture"],
      ...[credentials, JSON.stringify(plan)],
    ]);
  }

  protected override line(
    name: string,
    { idempotency_key, take, ...members }: Record<string, unknown>,
  ): object {
    const call = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const isOne = /^(get|cancel|redeliver)_/.test(name) &&
      Object.keys(members).some((each) => each.endsWith("_id"));
    if (take !== undefined) return { call, args: Object.values(members), take };
    if (name === "probe_signature") return { call, args: ["{}"] };
    const body = isOne ? Object.values(members) : Object.keys(members).length > 0 ? [members] : [];
    return { call, args: idempotency_key === undefined ? body : [...body, idempotency_key] };
  }
}
