import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { type TestPostgres, testPostgres } from "@gold-partner/dev/postgres";
import { applyMutation, type Mutation } from "./mutation.ts";
import { killTests, runTest, type TestRun } from "./test_run.ts";
import { WorkingCopy } from "./working_copy.ts";

/**
 * The result for one defect. `seenBy` is the test file that failed; `fault` says why the defect was not
 * caught.
 */
type Outcome = { readonly seenBy: string } | { readonly fault: string };

const TREE = fileURLToPath(new URL("../../..", import.meta.url));
const SERVER = "packages/server";

/**
 * The result of a run that close() interrupts. It never resolves: the run has no verdict, and the caller of
 * close() ends the process.
 */
const NEVER = new Promise<never>(() => {});

/** A copy of the sources, to which one defect at a time is applied, with its own Postgres for the tests. */
export class SourceCopy {
  readonly #copy: WorkingCopy;
  readonly #postgres: TestPostgres;
  #closing: Promise<void> | undefined;

  static async open(): Promise<SourceCopy> {
    delete process.env.TEST_POSTGRES_URL;
    const copy = new WorkingCopy();
    try {
      copy.fill(TREE);
      return new SourceCopy(copy, await testPostgres());
    } catch (error) {
      copy.remove();
      throw error;
    }
  }

  private constructor(copy: WorkingCopy, server: TestPostgres) {
    this.#copy = copy;
    this.#postgres = server;
  }

  /** Runs a test file on the unmodified sources. */
  runUnbroken(file: string): Promise<TestRun> {
    return this.#run(file);
  }

  /** Runs the defect's test files one after another on the broken source, until one fails. */
  async try(defect: Mutation): Promise<Outcome> {
    if (this.#closing) return await NEVER;
    const path = join(this.#copy.root, SERVER, defect.file);
    const source = readFileSync(path, "utf8");
    try {
      writeFileSync(path, applyMutation(defect, source));
      for (const file of defect.tests) {
        const { verdict, output } = await this.#run(file);
        // Report a syntax error as a fault, because it makes every test fail and proves nothing about the
        // tests.
        const slip = /.*syntax error at .*/.exec(output)?.[0];
        if (slip) return { fault: `Postgres reports a syntax error in the broken source: ${slip.trim()}` };
        if (verdict === "hangs") return { fault: `${file} does not finish; it must fail` };
        if (verdict === "red") return { seenBy: file };
      }
      return { fault: `${defect.tests.join(" and ")} still pass` };
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

  /**
   * Drops leftover databases: each defect makes its own template database, and a killed test leaves its
   * databases behind.
   */
  async #dropDatabases(): Promise<void> {
    const sql = postgres(this.#postgres.superuserUrl(), { max: 1, onnotice: () => {} });
    try {
      const left = await sql<{ name: string }[]>`
        select datname as name from pg_database where starts_with(datname, 'books_') or starts_with(datname, 'test_')`;
      for (const { name } of left) {
        // Do not fail if the database is gone, because a test that is still shutting down may drop it first.
        await sql`update pg_database set datistemplate = false where datname = ${name}`;
        await sql`drop database if exists ${sql(name)} with (force)`;
      }
    } finally {
      await sql.end();
    }
  }
}
