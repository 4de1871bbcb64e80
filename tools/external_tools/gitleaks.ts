import { goProgram } from "./go_program.ts";

/** Searches the whole Git history for secrets. A first build takes about half a minute. */
export const gitleaks = goProgram("gitleaks", {
  path: "github.com/zricethezav/gitleaks/v8",
  version: "v8.30.1",
  sum: "h1:PmEvCfVI7ti9dV3s5aMZUY7sS2GxRvG3yzih7E+cS3w=",
});
