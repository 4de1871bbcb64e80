// Every file that the site is generated from: the landing page, the guides and the reference.
import { allOperations, info, orderExchange, referenceGroups, referencePages } from "./reference.ts";
import { guidePages, readSource, type SiteFiles } from "./guides.ts";
import { markdownFiles } from "./markdown_files.ts";

export type { SiteFiles };

const ORDER_FLOW = "docs/order_flow.svg";
const ICON =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M9 8h14l6 16H3z" fill="#b8860b"/></svg>`;

export function sitePages(): SiteFiles {
  const pages = new Map([...guidePages(), ...referencePages(), ["index.md", landingPage()]]);
  return new Map([
    ...pages,
    ...markdownFiles(pages, info.title, info.description.split("\n", 1)[0]!),
    ["public/icon.svg", ICON],
    ["public/order_flow_light.svg", orderFlow("not all")],
    ["public/order_flow_dark.svg", orderFlow("all")],
    ["navigation.json", JSON.stringify(referenceGroups)],
  ]);
}

/** The landing page shows the example of an order, and the order of the README, which a test executes. */
function landingPage(): string {
  const [title = ""] = /(?<=<title\s+id="title">)[^<]*/.exec(readSource(ORDER_FLOW)) ?? [];
  const [order = ""] = /^```ts\n[^]*?^```\n\n```text\n[^]*?^```\n/m.exec(
    readSource("README.md"),
  ) ?? [];
  const parts = { ...orderExchange(), operations: allOperations(), order: order.trimEnd() };
  return readSource("site/landing.md").replaceAll("DESCRIPTION", title)
    .replaceAll(/<!-- (\w+) -->/g, (_, name: keyof typeof parts) => parts[name]);
}

/**
 * The picture follows the system's theme. The site has a switch of its own, so it shows one of two copies.
 */
function orderFlow(darkWhen: string): string {
  return readSource(ORDER_FLOW).replace(
    "(prefers-color-scheme: dark)",
    darkWhen,
  );
}
