import { spawnSync } from "node:child_process";
import { MissingToolError, type Tool } from "./tool.ts";

/** The system's JDK. The external checks compile and run the Java example with it. */
export const java: Tool = {
  name: "java",
  version: "of the system, 11 or newer",
  isInstalled() {
    const { status, stdout } = spawnSync("javac", ["--version"], { encoding: "utf8" });
    return status === 0 && /^javac (1[1-9]|[2-9]\d)\b/.test(stdout);
  },
  install() {
    throw new MissingToolError(
      "Java 11 or newer was not found on PATH. Install it (Debian: apt-get install openjdk-17-jdk-headless).",
    );
  },
};
