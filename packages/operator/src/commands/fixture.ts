import { deepStrictEqual, ok } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestService, testService } from "@gold-partner/server/testing";
import { type Run, runGold } from "../gold_fixture.ts";
import { type KeyFile, openKeyFile } from "../key_file.ts";
import { dropLogins } from "../../../../tools/testing/drop_logins.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

interface Person {
  readonly login: string;
  readonly url: string;
  /** The environment in which this person calls `gold`. */
  readonly env: { readonly DATABASE_URL: string; readonly GOLD_KEYS: string };
  /** Runs a command, as runGold() does: the first argument is split at spaces. */
  gold(...argv: string[]): Promise<Run>;
  /** Returns the command's --json output. Throws unless the command succeeded. */
  done(...argv: string[]): Promise<Record<string, unknown>>;
}

/** Runs `gold` with the login of one operator, against the database of a running service. */
export interface TestOperator extends Person {
  readonly service: TestService;
  /** The key file that both people use. */
  readonly keys: KeyFile;
  path(name: string): string;
  write(name: string, text: string): Promise<string>;
  read(name: string): Promise<string>;
  /** A second person with another login. */
  readonly colleague: Person;
  stop(): Promise<void>;
}

export async function testOperator(options?: Parameters<typeof testService>[0]): Promise<TestOperator> {
  const service = await testService(options);
  const { sql, url: superuserUrl } = service.books;
  const folder = temporaryFolder("gold-operator");
  const path = (name: string) => join(folder, name);
  const keyFile = path("gold_keys.json");
  const { pepperSource: pepper, sealingKeySource: sealing_key } = service.config;
  await writeFile(keyFile, JSON.stringify({ pepper, sealing_key }), { mode: 0o600 });
  const [person, colleague] = [
    await hire(sql, superuserUrl, keyFile),
    await hire(sql, superuserUrl, keyFile),
  ];
  return {
    ...person,
    colleague,
    service,
    keys: openKeyFile(() => Promise.resolve(keyFile)),
    path,
    async write(name, text) {
      await writeFile(path(name), text);
      return path(name);
    },
    read: (name) => readFile(path(name), "utf8"),
    async stop() {
      await dropLogins(sql, person.login, colleague.login);
      await service.stop();
    },
  };
}

/** Creates a login for one person, a member of gold_operator. */
async function hire(
  sql: TestService["books"]["sql"],
  superuserUrl: string,
  keyFile: string,
): Promise<Person> {
  const login = `operator_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  await sql.unsafe(`create role ${login} login password '${password}' in role gold_operator`);
  // Not with add_operator(), whose time limits for sessions would end tests on a busy machine.
  await sql`select gold.note('operator.add', ${login}, '{}')`;
  const url = new URL(superuserUrl);
  [url.username, url.password] = [login, password];
  const env = { DATABASE_URL: url.href, GOLD_KEYS: keyFile };
  const run = (...argv: string[]) => runGold(argv, { env });
  return {
    login,
    url: url.href,
    env,
    gold: run,
    async done(...argv) {
      const made = await run(...argv, "--json", "--yes");
      if (made.exit !== 0) throw new Error(`gold ${argv.join(" ")}: ${made.err}`);
      return made.json;
    },
  };
}

/**
 * Throws unless the command was refused with this exit code, wrote
 * nothing to standard output, and has these words in its problem.
 */
export function assertRefused({ exit, problem, out }: Run, expectedExit: number, words: string): void {
  deepStrictEqual([exit, problem.exit_code, out], [expectedExit, expectedExit, ""], problem.detail);
  ok(problem.detail.includes(words), `${problem.detail} lacks ${words}`);
}

export const itemsOf = (answer: Record<string, unknown>) => answer.items as Record<string, unknown>[];
