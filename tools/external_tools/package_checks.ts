import { npmProgram } from "./npm_program.ts";

/**
 * publint and attw, which check the published packages, and the oldest and middle Node versions that the
 * packages support.
 */
export const packageChecks = npmProgram("package_checks", "publint");
