import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Command } from "../command.ts";
import { PRIVATE_FILE, replaceFile } from "../new_file.ts";
import { SHARED_FOLDER } from "../run_file.ts";
import { usage } from "../failure.ts";
import { optional, required } from "../values.ts";

const consoleCommand: Command = {
  words: "console",
  usage: "console [--port N] [--link-file FILE]",
  does:
    "serves your console on this machine until it is ended: what you see and approve here, in a browser. It prints a link that opens it once; --link-file has the next one after that",
  options: { port: { type: "string", default: "8470" }, "link-file": { type: "string" } },
  async run({ values, path, print, ending, aside, ...others }) {
    const port = readPort(required(values, "port"));
    // Loaded only here, because no other command needs a web server.
    const { serveConsole } = await import("./server.ts");
    const served = await serveConsole({ values, path, print, ending, aside, ...others }, {
      port,
      onOpened: () => replaceFile(file, `${served.renewLink()}\n`, PRIVATE_FILE),
    });
    const given = optional(values, "link-file");
    const file = given === undefined
      ? join(SHARED_FOLDER, `gold-${process.getuid?.() ?? 0}-console-${served.port}`)
      : path(given);
    try {
      const link = served.renewLink();
      await replaceFile(file, `${link}\n`, PRIVATE_FILE).catch((error: Error) => {
        throw usage(
          `The link file ${file} cannot be written: ${error.message}. Name another one with --link-file.`,
        );
      });
      print({ object: { console: link, link_file: file } });
      if (!ending) return await aside(() => new Promise<never>(() => {}));
      if (!ending.aborted) await aside(() => once(ending, "abort"));
      await rm(file, { force: true });
      return {};
    } finally {
      await served.close();
    }
  },
};

export const CONSOLE_COMMANDS: readonly Command[] = [consoleCommand];

const PORT_MAX = 65_535;

/** Reads a port. 0 means any free one. */
function readPort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Infinity;
  if (port <= PORT_MAX) return port;
  throw usage(`--port must be a number from 0 to ${PORT_MAX}; got ${text}.`);
}
