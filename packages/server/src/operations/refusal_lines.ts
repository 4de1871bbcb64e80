import type { Log } from "./log.ts";

/** The reply header that tells the proxy to leave out its own line. The proxy removes the header. */
export const COUNTED_HEADER = "x-gold-counted";

/** Limits the lines of a partner that repeats a refused request, because a flood of them would fill the disk. */
export interface RefusalLines {
  /**
   * Counts a refusal, and returns whether it gets a line. The first refusals of a partner with one code in a
   * second do. One more line then says how many others there were.
   */
  getsLine(clientId: string | undefined, code: string): boolean;
  /** Logs what is counted now. */
  stop(): void;
}

const LINES_PER_SECOND = 10;
const SECOND_MS = 1000;

interface Repeated {
  readonly clientId: string | undefined;
  readonly code: string;
  refusals: number;
}

export function createRefusalLines(log: Log): RefusalLines {
  const repeated = new Map<string, Repeated>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const report = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const { clientId, code, refusals } of repeated.values()) {
      if (refusals <= LINES_PER_SECOND) continue;
      log("info", "more refusals", {
        code,
        ...(clientId === undefined ? {} : { client_id: clientId }),
        refusals: refusals - LINES_PER_SECOND,
      });
    }
    repeated.clear();
  };
  return {
    getsLine(clientId, code) {
      timer ??= setTimeout(report, SECOND_MS);
      const name = `${code} ${clientId ?? ""}`;
      let known = repeated.get(name);
      if (!known) repeated.set(name, known = { clientId, code, refusals: 0 });
      known.refusals++;
      return known.refusals <= LINES_PER_SECOND;
    },
    stop: report,
  };
}
