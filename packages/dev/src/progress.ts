/** Notified of each step of `npm start`. */
export interface Listener {
  /** Called when a step begins. `doing` says what the step does. */
  begin?(step: string, doing: string): void;
  /** Called when the step is done, with its duration. */
  report(step: string, ms: number, what: string): void;
}

/** Prints what `npm start` does: as text for a person, or as JSON with --json for a program. */
interface Progress extends Required<Listener> {
  /** Prints lines of text. Does nothing with --json. */
  say(text: string): void;
  /** Prints a result with its facts. Prints only with --json. */
  conclude(step: string, ms: number, what: string, facts: Readonly<Record<string, string>>): void;
  /** Clears the progress line if there is one. */
  clearLine(): void;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const SECOND_MS = 1000;
/**
 * The interval of progress lines in an output that cannot rewrite lines. The first line comes after 1 second.
 */
const LINE_SECONDS = 10;
const STEP_WIDTH = 10;
const TIME_WIDTH = 5;
const COLUMNS = 80;

export function openProgress(
  { output, json, env }: { output: Output; json: boolean; env: Readonly<Record<string, string | undefined>> },
): Progress {
  const rewrites = output.isTTY === true && env.TERM !== "dumb";
  const coloured = rewrites && !env.NO_COLOR;
  const paint = (code: number, text: string) => coloured ? `\x1b[${code}m${text}\x1b[0m` : text;
  let timer: ReturnType<typeof setInterval> | undefined;
  let drawn = false;

  const clearLine = () => {
    clearInterval(timer);
    if (drawn) output.write("\r\x1b[2K");
    drawn = false;
  };
  const draw = (step: string, doing: string, seconds: number) => {
    const line = `… ${step.padEnd(STEP_WIDTH)} ${`${seconds}`.padStart(TIME_WIDTH)} s   ${doing}`;
    if (rewrites) output.write(`\r\x1b[2K${paint(2, line.slice(0, (output.columns ?? COLUMNS) - 1))}`);
    else if (seconds % LINE_SECONDS === 1) output.write(`${line}\n`);
    drawn = rewrites;
  };
  const conclude: Progress["conclude"] = (step, ms, what, facts) => {
    clearLine();
    if (json) output.write(`${JSON.stringify({ step, ms: Math.round(ms), what, ...facts })}\n`);
  };
  return {
    begin(step, doing) {
      clearLine();
      if (json) return;
      let seconds = 0;
      timer = setInterval(() => draw(step, doing, ++seconds), SECOND_MS);
    },
    report(step, ms, what) {
      conclude(step, ms, what, {});
      const took = `${Math.round(ms)}`.padStart(TIME_WIDTH);
      if (!json) {
        output.write(`${paint(32, "✔")} ${step.padEnd(STEP_WIDTH)} ${paint(2, `${took} ms`)}  ${what}\n`);
      }
    },
    say(text) {
      clearLine();
      if (!json) output.write(`${text}\n`);
    },
    conclude,
    clearLine,
  };
}

/** Runs a step and reports its start and its end. */
export async function doStep<T>(
  { begin, report }: Listener,
  step: string,
  doing: string,
  act: () => Promise<T>,
  say: (result: T) => string,
): Promise<T> {
  begin?.(step, doing);
  const startedMs = performance.now();
  const result = await act();
  report(step, performance.now() - startedMs, say(result));
  return result;
}
