import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { readyFacts } from "./ready_text.ts";
import type { Running } from "./running.ts";
import { DEFAULT_STATE } from "./state.ts";

const k6LineOf = (stateDir: string): string => {
  const path = (...parts: string[]) => join(resolve(stateDir), ...parts);
  const credentials = { ca: "ca.pem", cert: "cert.pem", key: "key.pem", client_id: "sbx_1" };
  const running = { baseUrl: "https://localhost:8443", credentials, state: { path, socket: path } };
  return readyFacts(running as unknown as Running).k6;
};

describe("the k6 command in the final output of npm start", () => {
  it("sets PARTNERS_DIR only if the state folder is not the default folder", () => {
    assertEquals(k6LineOf(DEFAULT_STATE), "PATH=$PATH:.tools/bin k6 run loadtest/quote_order.ts");
    assertEquals(
      k6LineOf("/srv/a state"),
      "PATH=$PATH:.tools/bin k6 run -e PARTNERS_DIR='/srv/a state/loadtest' loadtest/quote_order.ts",
    );
  });
});
