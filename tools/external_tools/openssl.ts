import { spawnSync } from "node:child_process";
import { MissingToolError, type Tool } from "./tool.ts";

/** OpenSSL is not downloaded. The external checks use the system's version, as partners do. */
export const openssl: Tool = {
  name: "openssl",
  version: "of the system, 3 or newer",
  isInstalled() {
    const { status, stdout } = spawnSync("openssl", ["version"], { encoding: "utf8" });
    return status === 0 && /^OpenSSL ([3-9]|\d\d)\./.test(stdout);
  },
  install() {
    throw new MissingToolError(
      "OpenSSL 3 was not found on PATH. Install it (Debian: apt-get install openssl).",
    );
  },
};
