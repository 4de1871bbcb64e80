import { existsSync } from "node:fs";
import { gold, operatorKeyFile } from "@gold-partner/operator";
import type { State } from "./state.ts";

/** The consoles of the people of a start. */
interface Consoles {
  /** The one-time links, the first person's first. */
  readonly links: readonly string[];
  stop(): Promise<void>;
}

/** Serves the console of each person: of one, or under two people of both. */
export async function startConsoles(state: State, port: number): Promise<Consoles> {
  const ending = new AbortController();
  const hasSecond = existsSync(operatorKeyFile(state.path(), "second"));
  const started = [
    startConsole(state, port, ["--link-file", state.path("console")], ending.signal),
    ...(hasSecond
      ? [
        startConsole(
          state,
          port + 1,
          ["--as", "second", "--link-file", state.path("console_second")],
          ending.signal,
        ),
      ]
      : []),
  ];
  const links = (await Promise.all(started)).filter((link) => link !== undefined);
  return {
    links: links.map(({ link }) => link),
    async stop() {
      ending.abort();
      await Promise.all(links.map(({ ended }) => ended));
    },
  };
}

/** Starts one console. If its port is taken, it gets another one. Undefined if it cannot start at all. */
async function startConsole(
  state: State,
  port: number,
  options: readonly string[],
  ending: AbortSignal,
): Promise<{ readonly link: string; readonly ended: Promise<unknown> } | undefined> {
  for (const at of [port, 0]) {
    let ended: Promise<unknown> = Promise.resolve();
    const link = await new Promise<string | undefined>((resolve) => {
      ended = gold(["console", "--json", "--port", `${at}`, "--state", state.path(), ...options], {
        // The folder in which a console keeps the files of signed days.
        env: { INIT_CWD: state.path() },
        out: (text) => resolve((JSON.parse(text) as { console?: string }).console),
        err: () => {},
        now: () => new Date(),
        random: (length) => crypto.getRandomValues(new Uint8Array(length)),
        ending,
      }).then(() => resolve(undefined));
    });
    if (link !== undefined) return { link, ended };
  }
  return undefined;
}
