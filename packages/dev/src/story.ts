/** Hears of each step of `npm start`. */
export interface Listener {
  /** A step begins; `doing` says what for. */
  begin?(step: string, doing: string): void;
  /** It is done. */
  tell(step: string, ms: number, what: string): void;
}

/** Tells a person, or with --json a program, what `npm start` does. */
interface Story extends Required<Listener> {
  /** Lines for people alone. */
  say(text: string): void;
  /** A fact that a program may want, too. */
  conclude(step: string, ms: number, what: string, facts: Readonly<Record<string, string>>): void;
  /** Ends the line that shows progress, where there is one. */
  hush(): void;
}

interface Stage {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const SECOND_MS = 1000;
/** Where lines cannot be rewritten, few of them: one after a second, then one each ten. */
const LINE_SECONDS = 10;
const STEP_WIDTH = 10;
const TIME_WIDTH = 5;
const COLUMNS = 80;

export function openStory(
  { stage, json, env }: { stage: Stage; json: boolean; env: Readonly<Record<string, string | undefined>> },
): Story {
  const rewrites = stage.isTTY === true && env.TERM !== "dumb";
  const coloured = rewrites && !env.NO_COLOR;
  const paint = (code: number, text: string) => coloured ? `\x1b[${code}m${text}\x1b[0m` : text;
  let timer: ReturnType<typeof setInterval> | undefined;
  let drawn = false;

  const hush = () => {
    clearInterval(timer);
    if (drawn) stage.write("\r\x1b[2K");
    drawn = false;
  };
  const draw = (step: string, doing: string, seconds: number) => {
    const line = `… ${step.padEnd(STEP_WIDTH)} ${`${seconds}`.padStart(TIME_WIDTH)} s   ${doing}`;
    if (rewrites) stage.write(`\r\x1b[2K${paint(2, line.slice(0, (stage.columns ?? COLUMNS) - 1))}`);
    else if (seconds % LINE_SECONDS === 1) stage.write(`${line}\n`);
    drawn = rewrites;
  };
  const conclude: Story["conclude"] = (step, ms, what, facts) => {
    hush();
    if (json) stage.write(`${JSON.stringify({ step, ms: Math.round(ms), what, ...facts })}\n`);
  };
  return {
    begin(step, doing) {
      hush();
      if (json) return;
      let seconds = 0;
      timer = setInterval(() => draw(step, doing, ++seconds), SECOND_MS);
    },
    tell(step, ms, what) {
      conclude(step, ms, what, {});
      const took = `${Math.round(ms)}`.padStart(TIME_WIDTH);
      if (!json) {
        stage.write(`${paint(32, "✔")} ${step.padEnd(STEP_WIDTH)} ${paint(2, `${took} ms`)}  ${what}\n`);
      }
    },
    say(text) {
      hush();
      if (!json) stage.write(`${text}\n`);
    },
    conclude,
    hush,
  };
}

/** Does a step and tells of it. */
export async function doStep<T>(
  { begin, tell }: Listener,
  step: string,
  doing: string,
  act: () => Promise<T>,
  say: (result: T) => string,
): Promise<T> {
  begin?.(step, doing);
  const startedMs = performance.now();
  const result = await act();
  tell(step, performance.now() - startedMs, say(result));
  return result;
}
