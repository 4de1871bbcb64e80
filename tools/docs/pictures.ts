// Draws the pictures of docs/performance.md from the results of `npm run bench -- NAME --json`.
import { readFileSync } from "node:fs";

/** The part of a benchmark's result that is drawn. */
interface Result {
  readonly surroundings: { readonly commit: string; readonly runtime: string; readonly processor: string };
  readonly contests: readonly Contest[];
}

interface Contest {
  readonly contest: string;
  readonly contenders: Readonly<
    Record<string, Readonly<Record<string, number | { readonly median: number }>>>
  >;
}

interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** An axis from `from` to `to`, with a text at each of its `ticks`. */
interface Axis {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
  readonly isLogarithmic?: boolean;
  text(value: number): string;
}

const [WIDTH, HEIGHT] = [720, 330];
const PLOT = { left: 70, right: 560, top: 56, bottom: 270 };
const BAR = { left: 330, right: 640, top: 60, height: 20, step: 34 };
const NAME_STEP = 17;
const COLOURS = ["gold", "ink", "blue", "soft"];
const STYLE =
  `:root { --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --paper: #ffffff; --gold: #9a6700; --blue: #0969da; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #f0f6fc; --soft: #9198a1; --line: #3d444d; --paper: #0d1117; --gold: #d29922; --blue: #4493f8; }
  }
  text { fill: var(--ink); }
  .soft { fill: var(--soft); font-size: 12px; }
  .grid { stroke: var(--line); }`;

const read = (name: string): Result =>
  JSON.parse(readFileSync(new URL(`../../docs/performance/${name}.json`, import.meta.url), "utf8"));

function contestOf({ contests }: Result, words: string): Contest["contenders"] {
  const found = contests.find(({ contest }) => contest.includes(words));
  if (!found) throw new Error(`The results have no contest with "${words}" in its name.`);
  return found.contenders;
}

function figure(contenders: Contest["contenders"], name: string, measure: string): number {
  const value = contenders[name]?.[measure];
  if (value === undefined) throw new Error(`The results have no ${measure} of "${name}".`);
  return typeof value === "number" ? value : value.median;
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const round = (value: number): string => `${+value.toFixed(1)}`;

function picture(result: Result, title: string, height: number, drawn: readonly string[]): string {
  const { commit, runtime, processor } = result.surroundings;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title"
  font-family="ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="14">
  <title id="title">${escape(title)}</title>
  <style>
  ${STYLE}
  </style>
  <rect width="${WIDTH}" height="${height}" fill="var(--paper)" />
  <text x="16" y="26" font-weight="600">${escape(title)}</text>
  ${drawn.join("\n  ")}
  <text class="soft" x="16" y="${height - 10}">${escape(`${runtime}, ${processor}, commit ${commit}`)}</text>
</svg>
`;
}

function chart(
  result: Result,
  title: string,
  { x, y, lines }: { x: Axis; y: Axis; lines: readonly Line[] },
): string {
  const across = scale(x, PLOT.left, PLOT.right);
  const up = scale(y, PLOT.bottom, PLOT.top);
  const endOf = ({ points }: Line): number => points.at(-1)![1];
  let nameY = 0;
  return picture(result, title, HEIGHT, [
    ...y.ticks.map((tick) =>
      `<path class="grid" d="M${PLOT.left} ${round(up(tick))}H${PLOT.right}" />` +
      `<text class="soft" x="${PLOT.left - 8}" y="${round(up(tick) + 4)}" text-anchor="end">${
        y.text(tick)
      }</text>`
    ),
    ...x.ticks.map((tick) =>
      `<text class="soft" x="${round(across(tick))}" y="${PLOT.bottom + 18}" text-anchor="middle">${
        x.text(tick)
      }</text>`
    ),
    `<text class="soft" x="16" y="${PLOT.top - 12}">${y.title}</text>`,
    `<text class="soft" x="${PLOT.right}" y="${PLOT.bottom + 36}" text-anchor="end">${x.title}</text>`,
    ...[...lines].sort((a, b) => endOf(b) - endOf(a)).flatMap(({ name, points }, index) => {
      const colour = `var(--${COLOURS[index]})`;
      const placed = points.map(([px, py]) => [across(px), up(py)] as const);
      const [endX, endY] = placed.at(-1)!;
      // The names of lines that end close together must not cover each other.
      nameY = Math.max(endY + 5, nameY + NAME_STEP);
      return [
        `<path d="M${
          placed.map((at) => at.map(round).join(" ")).join("L")
        }" fill="none" stroke="${colour}" stroke-width="2" />`,
        ...placed.map(([cx, cy]) =>
          `<circle cx="${round(cx)}" cy="${round(cy)}" r="3.5" fill="${colour}" />`
        ),
        `<text x="${round(endX + 10)}" y="${round(nameY)}" style="fill: ${colour}">${escape(name)}</text>`,
      ];
    }),
  ]);
}

function scale({ from, to, isLogarithmic }: Axis, start: number, end: number): (value: number) => number {
  const place = isLogarithmic ? Math.log : (value: number) => value;
  return (value) => start + (end - start) * (place(value) - place(from)) / (place(to) - place(from));
}

/** Latency of orders, by the share of the peak that is sent. */
export function drawLatency(): string {
  const result = read("tails");
  const contenders = contestOf(result, ", through Envoy");
  const shares = [10, 50, 80, 95];
  const line = (name: string, measure: string): Line => ({
    name,
    points: shares.map((share) => [share, figure(contenders, `order, ${share} %`, measure) / 1000]),
  });
  const lines = [line("p99.9", "p999Micros"), line("p99", "p99Micros"), line("p50", "p50Micros")];
  const ticks = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000];
  const most = Math.max(...lines.flatMap(({ points }) => points.map(([, ms]) => ms)));
  const to = ticks.find((tick) => tick >= most) ?? most;
  return chart(result, "Latency of an order through Envoy, by load", {
    x: { title: "share of the highest rate", from: 0, to: 100, ticks: shares, text: (value) => `${value} %` },
    y: {
      title: "ms",
      from: 1,
      to,
      ticks: ticks.filter((tick) => tick <= to),
      isLogarithmic: true,
      text: String,
    },
    lines,
  });
}

/** Trades that end within a second, by the offered load, as shares of the peak. */
export function drawGoodput(): string {
  const result = read("overload");
  const factors = [0.5, 1, 2, 4];
  const line = (name: string): Line => {
    const contenders = contestOf(result, name);
    const peak = figure(contenders, "the peak", "perSecond");
    return {
      name,
      points: factors.map((
        factor,
      ) => [factor, figure(contenders, `${factor}x of the peak`, "perSecond") / peak]),
    };
  };
  const ticks = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5];
  return chart(result, "Trades that end within a second, by offered load", {
    x: {
      title: "offered load, as a multiple of the peak",
      from: 0,
      to: 4,
      ticks: factors,
      text: (value) => `${value}x`,
    },
    y: { title: "of the peak", from: 0, to: 1.5, ticks, text: (value) => `${value * 100} %` },
    lines: [line("all partners"), line("one partner")],
  });
}

/** CPU time of an order, by program. */
export function drawCost(): string {
  const result = read("peers");
  const contenders = contestOf(result, "the same signed orders");
  const bars = Object.keys(contenders).map((name) => [name, figure(contenders, name, "cpuMicros")] as const);
  const most = Math.max(...bars.map(([, micros]) => micros));
  return picture(
    result,
    "CPU time of an order",
    BAR.top + bars.length * BAR.step + 30,
    bars.flatMap(([name, micros], index) => {
      const top = BAR.top - 10 + index * BAR.step;
      const width = (BAR.right - BAR.left) * micros / most;
      return [
        `<text x="${BAR.left - 10}" y="${top + 15}" text-anchor="end">${escape(name)}</text>`,
        `<rect x="${BAR.left}" y="${top}" width="${round(width)}" height="${BAR.height}" fill="var(--${
          name.startsWith("service") ? "gold" : "soft"
        })" />`,
        `<text class="soft" x="${round(BAR.left + width + 8)}" y="${top + 15}">${
          micros.toFixed(0)
        } µs</text>`,
      ];
    }),
  );
}
