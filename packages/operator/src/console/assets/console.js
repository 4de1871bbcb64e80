// Charts and notifications. Without this script, every page still works.
"use strict";

const RIYADH = "Asia/Riyadh";
const HEIGHT = 160;
const MINUTE_MS = 60_000;
const LOST_MS = 7_000;
const STORED = "gold-notify";

/** Reads the columns of a chart. Undefined if they cannot be read now. */
async function readColumns({ dataset: { source, chart } }) {
  const reply = await fetch(source).catch(() => undefined);
  return reply?.ok ? (await reply.json())[chart].map((column) => column.map(Number)) : undefined;
}

/** Draws a chart in an element that names its source, and adds each minute. Colours are those of the style sheet. */
async function draw(figure) {
  const columns = await readColumns(figure);
  if (!columns) return;
  const style = getComputedStyle(document.documentElement);
  const [ink, line, grid] = ["--ink", "--accent", "--line"].map((name) => style.getPropertyValue(name));
  const time = new Intl.DateTimeFormat("en-GB", { timeZone: RIYADH, hour: "2-digit", minute: "2-digit" });
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid } };
  const names = figure.dataset.chart === "price" ? ["SAR/g"] : ["orders", "g"];
  const chart = new uPlot(
    {
      width: figure.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      scales: { g: {} },
      axes: [
        { ...axis, values: (_, seconds) => seconds.map((at) => time.format(at * 1000)) },
        { ...axis, size: 64 },
        ...(names.length > 1 ? [{ ...axis, scale: "g", side: 1, grid: { show: false } }] : []),
      ],
      series: [
        {},
        ...names.map((label, index) => ({
          label,
          scale: index === 0 ? "y" : "g",
          stroke: index === 0 ? line : ink,
          width: 2,
          points: { show: columns[0].length < 2 },
        })),
      ],
    },
    columns,
    figure,
  );
  new ResizeObserver(() => chart.setSize({ width: figure.clientWidth, height: HEIGHT })).observe(figure);
  setInterval(async () => {
    const newer = document.hidden ? undefined : await readColumns(figure);
    if (newer) chart.setData(newer);
  }, MINUTE_MS);
  figure.setAttribute("role", "img");
  figure.setAttribute("aria-label", `${names.join(", ")}: ${columns[0].length} minutes`);
}

/** Tells the person when something new waits. */
function watchInbox() {
  const items = () => document.getElementById("waiting")?.dataset.items.split(" ").filter(Boolean) ?? [];
  let known = new Set(items());
  const title = document.title;
  new MutationObserver(() => {
    const now = items();
    document.title = now.length > 0 ? `(${now.length}) ${title}` : title;
    const isNew = now.some((item) => !known.has(item));
    if (isNew && localStorage.getItem(STORED) && Notification.permission === "granted") {
      new Notification("Gold", { body: `${now.length} waiting`, tag: "gold-inbox" });
    }
    known = new Set(now);
  }).observe(document.querySelector("nav"), { subtree: true, childList: true });
}

/** Says when the figures of Today no longer come, because the console or its database does not answer. */
function watchFigures() {
  const lost = document.getElementById("lost");
  const live = () => document.getElementById("live");
  if (!live()) return;
  let at = Date.now();
  new MutationObserver(() => at = Date.now()).observe(live().parentElement, {
    ...{ subtree: true, childList: true, attributes: true, attributeFilter: ["data-at"] },
  });
  setInterval(() => {
    const isLost = !document.hidden && Date.now() - at > LOST_MS;
    live()?.classList.toggle("lost", isLost);
    lost.hidden = !isLost;
    lost.querySelector("time").textContent = new Date(at).toLocaleTimeString("en-GB", { timeZone: RIYADH });
  }, 1000);
  document.addEventListener("visibilitychange", () => at = Date.now());
}

// A tab that nobody sees asks only for what waits, so that it can notify.
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden && event.target.id !== "waiting") event.preventDefault();
});
localStorage.setItem("gold-console", new URL(document.baseURI).pathname);

for (const figure of document.querySelectorAll("[data-chart]")) draw(figure);
watchInbox();
watchFigures();
for (const button of document.querySelectorAll("[data-notify]")) {
  button.hidden = Notification.permission === "granted" && localStorage.getItem(STORED) !== null;
  button.addEventListener("click", async () => {
    if (await Notification.requestPermission() !== "granted") return;
    localStorage.setItem(STORED, "yes");
    button.hidden = true;
  });
}
