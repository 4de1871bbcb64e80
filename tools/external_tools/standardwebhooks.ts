import { fileURLToPath } from "node:url";
import { goSource } from "./go_program.ts";
import { pythonTool } from "./python_package.ts";

/** The library of Standard Webhooks for Python. It needs no other package. */
export const standardwebhooksPython = pythonTool("standardwebhooks", [{
  name: "standardwebhooks",
  version: "1.1.0",
  sha256: "9a88d48a1f198be61517fc7ad328cf58ba02b73f0fbd8941d4213e9c0b6c2a61",
}], ["standardwebhooks"]);

/** The example of a receiver in Go, built with the library of Standard Webhooks for Go. */
export const receiverGo = goSource(
  "receiver_go",
  fileURLToPath(new URL("../../docs/examples/receiver/go/", import.meta.url)),
);
