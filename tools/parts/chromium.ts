import { existsSync } from "node:fs";
import process from "node:process";
import { MissingToolError, type Part } from "./part.ts";

/** The system's own: whoever reads the reference has a browser of some version. */
export const chromium: Part = {
  name: "chromium",
  version: "of the system",
  isInstalled: () => existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium"),
  install() {
    throw new MissingToolError(
      "Chromium was not found. Install it, on Debian: apt-get install chromium; or name one of yours in CHROMIUM.",
    );
  },
};
