import { existsSync } from "node:fs";
import process from "node:process";
import { MissingToolError, type Tool } from "./tool.ts";

/**
 * The browser of this system. Any version is accepted, because readers of the API reference have various
 * versions.
 */
export const chromium: Tool = {
  name: "chromium",
  version: "of the system",
  isInstalled: () => existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium"),
  install() {
    throw new MissingToolError(
      "Chromium was not found. Install it (Debian: apt-get install chromium), or set CHROMIUM to its path.",
    );
  },
};
