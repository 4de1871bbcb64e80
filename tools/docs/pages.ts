import { writeErrorCatalogue } from "./error_catalogue.ts";
import { writeExampleSignatures } from "./example_signatures.ts";
import { writeContributing, writeScripts } from "./tasks.ts";

/**
 * The files that are made from the code, in whole or in part. Each function takes the current text and
 * returns the new text.
 */
export const PAGES: Readonly<Record<string, (text: string) => string>> = {
  "docs/errors.md": writeErrorCatalogue,
  "packages/protocol/src/openapi/examples/signatures.ts": writeExampleSignatures,
  "CONTRIBUTING.md": writeContributing,
  "package.json": writeScripts("scripts", "exec node"),
  "deno.json": writeScripts("tasks", "deno run -A"),
};
