import { npmProgram } from "./npm_program.ts";

/** Lighthouse and axe, which judge the documentation site in a browser. */
export const lighthouse = npmProgram("lighthouse", "lighthouse");
