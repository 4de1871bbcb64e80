import type { GoldClientManner } from "@gold-partner/client";
import type { Terminal } from "./command.ts";
import { fold } from "./output.ts";

/** The greatest limit that the client takes. */
const UNLIMITED = 2 ** 31 - 1;

/**
 * The options of the client of a command that runs until the person ends it. Its calls wait as long as its stream, and
 * standard error says once that the service is away and once that it is back.
 */
export function following({ err, errorScreen }: Pick<Terminal, "err" | "errorScreen">): GoldClientManner {
  let isAway = false;
  const say = (text: string) => err(fold(text, errorScreen));
  return {
    triesMax: UNLIMITED,
    patienceMs: UNLIMITED,
    observe({ code, retryInMs = 0 }) {
      const isWaiting = retryInMs > 0;
      if (isWaiting && !isAway) {
        say(`The service does not answer (${code}). Waiting for it. Ctrl-C ends the command.`);
      }
      if (isAway && code === undefined) say("The service answers again.");
      isAway = isWaiting || (isAway && code !== undefined);
    },
  };
}
