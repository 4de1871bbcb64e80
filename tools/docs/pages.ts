import { writeApplyChange, writeChangeSql } from "./change_sql.ts";
import { writeClientErrorTypes, writeClientTypes } from "./client_types.ts";
import { writeCsharpOperations } from "./csharp_operations.ts";
import { writeCsharpProblems, writeCsharpTypes } from "./csharp_types.ts";
import { writeErrorCatalogue } from "./error_catalogue.ts";
import { writeJavaOperations } from "./java_operations.ts";
import { writeJavaProblems, writeJavaTypes } from "./java_types.ts";
import { drawCost, drawGoodput, drawLatency } from "./pictures.ts";
import { writePythonProblems } from "./python_problems.ts";
import { writePythonRecords } from "./python_records.ts";
import { writeRecordSql } from "./record_sql.ts";
import { writeExampleSignatures } from "./example_signatures.ts";
import { writeContributing, writeScripts } from "./tasks.ts";

/**
 * The files that are made from the code, in whole or in part. Each function takes the current text and
 * returns the new text.
 */
export const PAGES: Readonly<Record<string, (text: string) => string>> = {
  "docs/errors.md": writeErrorCatalogue,
  "docs/performance/latency.svg": drawLatency,
  "docs/performance/goodput.svg": drawGoodput,
  "docs/performance/cost.svg": drawCost,
  "packages/client/src/api_types.ts": writeClientTypes,
  "packages/client/src/error_types.ts": writeClientErrorTypes,
  "packages/client/python/src/gold_partner/problems.py": writePythonProblems,
  "packages/client/python/src/gold_partner/records.py": writePythonRecords,
  "packages/client/java/src/main/java/gold/partner/Api.java": writeJavaTypes,
  "packages/client/java/src/main/java/gold/partner/Operations.java": writeJavaOperations,
  "packages/client/java/src/main/java/gold/partner/Problems.java": writeJavaProblems,
  "packages/client/csharp/src/Types.cs": writeCsharpTypes,
  "packages/client/csharp/src/Operations.cs": writeCsharpOperations,
  "packages/client/csharp/src/Problems.cs": writeCsharpProblems,
  "packages/server/src/database/proposals/kinds.sql": writeChangeSql,
  "packages/server/src/database/proposals/apply_change.sql": writeApplyChange,
  "packages/server/src/reads/record_members.sql": writeRecordSql,
  "packages/protocol/src/openapi/examples/signatures.ts": writeExampleSignatures,
  "CONTRIBUTING.md": writeContributing,
  "package.json": writeScripts("scripts", "exec node"),
  "deno.json": writeScripts("tasks", "deno run -A"),
};
