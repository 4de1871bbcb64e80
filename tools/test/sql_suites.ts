import { posix } from "node:path";
import { isTest } from "../check/tree.ts";

/** What each source imports at run time: paths from the root, and names such as node:net. */
export type Imports = Readonly<Record<string, readonly string[]>>;

/**
 * Code that a suite may use although it tests SQL: connections, pure packages, what makes a row's values,
 * gold's commands and the audit, which send SQL and compare rows, and the fixtures of another package.
 */
const BESIDE_SQL = [
  "node_modules/",
  "packages/dev/src/postgres/",
  "packages/database/",
  "packages/canonical/",
  "packages/jws/",
  "packages/approvals/",
  "packages/audit/src/",
  "packages/operator/src/",
  "packages/protocol/",
  "tools/std_assert/",
  "tools/testing/",
  "packages/server/testing/mod.ts",
  "packages/server/src/database/migrate.ts",
  "packages/server/src/database/array_literal.ts",
  "packages/server/src/admission/token/client_secret.ts",
  "packages/server/src/admission/signature/nonce_uuid.ts",
  "packages/server/src/admission/signature/stored_request.ts",
  "packages/server/src/booking/outcome.ts",
  "packages/server/src/operations/new_uuid.ts",
  "packages/server/src/settings/sealing.ts",
  "packages/server/src/admission/ticket.ts",
];

/** Suites of SQL that also test how a lost connection ends, which the runtime reports. */
const ON_BOTH = [
  "packages/operator/src/commands/books/cancelled_wait.pg.test.ts",
  "packages/operator/src/commands/money/submission_crash.pg.test.ts",
];

/** Modules of the runtime whose behaviour differs between Node and Deno. */
const OF_THE_RUNTIME = /^node:(child_process|cluster|http|https|http2|net|tls|worker_threads)$/;

/**
 * Returns the suites that test SQL: the runtime that sends the statements makes no difference. A file such as
 * book_orders.ts with book_orders.sql beside it only sends its SQL.
 */
export function findSqlSuites(
  files: readonly string[],
  imports: Imports,
  hasFile: (path: string) => boolean,
): readonly string[] {
  const testsSql = (path: string, seen = new Set<string>()): boolean =>
    (imports[path] ?? []).every((target) => {
      if (OF_THE_RUNTIME.test(target)) return false;
      if (imports[target] === undefined || seen.has(target)) return true;
      if (BESIDE_SQL.some((start) => target.startsWith(start))) return true;
      return isTest(target) ? testsSql(target, seen.add(target)) : hasFile(target.replace(/\.ts$/, ".sql"));
    });
  return files.filter((file) => file.endsWith(".pg.test.ts") && !ON_BOTH.includes(file) && testsSql(file));
}

/** Leaves out the first suite of each folder, which stays on both runtimes. */
export function exceptOneOfEachFolder(suites: readonly string[]): readonly string[] {
  const folderOf = posix.dirname;
  return suites.filter((file, index) =>
    suites.findIndex((each) => folderOf(each) === folderOf(file)) < index
  );
}
