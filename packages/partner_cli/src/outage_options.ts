import type { GoldClientManner } from "@gold-partner/client";
import type { Terminal } from "./command.ts";
import { fold } from "./output.ts";

/** The highest value that the client accepts for triesMax and patienceMs. */
const UNLIMITED = 2 ** 31 - 1;

/**
 * Returns the client options for a command that runs until the person ends it. Calls then retry without a
 * limit, as streams do. At the start and at the end of an outage, one line on standard error says so.
 */
export function outageOptions(
  { err, errorScreen }: Pick<Terminal, "err" | "errorScreen">,
): GoldClientManner {
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
