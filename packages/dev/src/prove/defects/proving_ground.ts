import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { type TestPostgres, testPostgres } from "../../postgres/mod.ts";
import { type Defect, plant } from "./defect.ts";
import { killTests, runTest, type TestRun } from "./test_run.ts";
import { WorkingCopy } from "./working_copy.ts";

/** What a trial came to: `fault` says what is wrong with it, and stands where a defect was not caught. */
type Outcome = { readonly seenBy: string } | { readonly fault: string };

const TREE = fileURLToPath(new URL("../../../../..", import.meta.url));
const SERVER = "packages/server";

/** What is cut off has no verdict, and whoever closes ends the process. */
const NEVER = new Promise<never>(() => {});

/** A copy of the tree to break, and a Postgres of its own to break it on. */
export class ProvingGround {
  readonly #copy: WorkingCopy;
  readonly #postgres: TestPostgres;
  #closing: Promise<void> | undefined;

  static async open(): Promise<ProvingGround> {
    delete process.env.TEST_POSTGRES_URL;
    const copy = new WorkingCopy();
    try {
      copy.fill(TREE);
      return new ProvingGround(copy, await testPostgres());
    } catch (error) {
      copy.remove();
      throw error;
    }
  }

  private constructor(copy: WorkingCopy, server: TestPostgres) {
    this.#copy = copy;
    this.#postgres = server;
  }

  /** A test file on the sources as they are. */
  runUnbroken(file: string): Promise<TestRun> {
    return this.#run(file);
  }

  /** The test files one after the other on the broken source, until one goes red. */
  async try(defect: Defect): Promise<Outcome> {
    if (this.#closing) return await NEVER;
    const path = join(this.#copy.root, SERVER, defect.file);
    const source = readFileSync(path, "utf8");
    try {
      writeFileSync(path, plant(defect, source));
      for (const file of defect.tests) {
        const { verdict, output } = await this.#run(file);
        // A slip of the pen turns everything red and proves nothing.
        const slip = /.*syntax error at .*/.exec(output)?.[0];
        if (slip) return { fault: `Postgres cannot read it: ${slip.trim()}` };
        if (verdict === "hangs") return { fault: `${file} hangs instead of going red` };
        if (verdict === "red") return { seenBy: file };
      }
      return { fault: `${defect.tests.join(" and ")} stay green` };
    } catch (error) {
      return { fault: (error as Error).message };
    } finally {
      writeFileSync(path, source);
      await this.#dropDatabases();
    }
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    killTests();
    this.#copy.remove();
    await this.#postgres.stop();
  }

  async #run(file: string): Promise<TestRun> {
    const run = await runTest(this.#copy.root, join(SERVER, file), this.#postgres.superuserUrl());
    return this.#closing ? await NEVER : run;
  }

  /** Each defect makes a template of its own, and a test that was killed leaves its databases. */
  async #dropDatabases(): Promise<void> {
    const sql = postgres(this.#postgres.superuserUrl(), { max: 1, onnotice: () => {} });
    try {
      const left = await sql<{ name: string }[]>`
        select datname as name from pg_database where starts_with(datname, 'trial_') or starts_with(datname, 'test_')`;
      for (const { name } of left) {
        // A test that is still ending may remove its own first.
        await sql`update pg_database set datistemplate = false where datname = ${name}`;
        await sql`drop database if exists ${sql(name)} with (force)`;
      }
    } finally {
      await sql.end();
    }
  }
}
