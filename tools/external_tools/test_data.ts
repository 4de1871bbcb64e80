import { join } from "node:path";
import { replaceFolder } from "./folder.ts";
import { downloadModule, type GoModule } from "./go_module.ts";
import { stampedTool, type Tool } from "./tool.ts";

/** Data that is published as a Go module. Only the entries that the external checks read are kept. */
function goData(name: string, module: GoModule, entries: readonly string[]): Tool {
  return stampedTool({
    name,
    version: module.version,
    install(folder) {
      replaceFolder(downloadModule(folder, module), join(folder, name), entries);
    },
  }, entries.map((entry) => `${name}/${entry}`));
}

/** Attack vectors against signature and MAC verifiers. */
export const wycheproof: Tool = goData("wycheproof", {
  path: "github.com/c2sp/wycheproof",
  version: "v0.0.0-20260902155932-3fa63dd0344a",
  sum: "h1:pNbL2nztRsWfW/ispAwsvcDFxs9Id38uIsR2/Up5G2c=",
}, [
  "testvectors_v1/ecdsa_secp256r1_sha256_p1363_test.json",
  "testvectors_v1/hmac_sha256_test.json",
  "testvectors_v1/json_web_signature_test.json",
]);

/** The examples of RFC 8785's author: input, output and the output's bytes. */
export const jsonCanonicalization: Tool = goData("json_canonicalization", {
  path: "github.com/cyberphone/json-canonicalization",
  version: "v0.0.0-20241213102144-19d51d7fe467",
  sum: "h1:uX1JmpONuD549D73r6cgnxyUu18Zb7yHAy5AYU0Pm4Q=",
}, ["testdata/input", "testdata/output", "testdata/outhex", "testdata/numgen.js"]);
