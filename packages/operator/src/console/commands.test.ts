import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { COMMANDS } from "../gold.ts";
import { ACTIONS } from "./actions.ts";
import { PAGES } from "./texts.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const GUIDE = new URL("../../../../docs/operator/console.md", import.meta.url);

const sourceOf = (folder: string) =>
  readdirSync(join(HERE, folder)).filter((name) => /^(?!actions|.*test)\w+[.]ts$/.test(name))
    .map((name) => readFileSync(join(HERE, folder, name), "utf8")).join("");

describe("the commands of gold", () => {
  const pages = sourceOf("pages");
  const all = COMMANDS.map(({ words }) => words);
  const isShown = (words: string) =>
    pages.includes(`"${words}"`) || pages.includes(`"${words} --`) || `/${words}` in PAGES;

  it("each have a page or a form in the console, or a reason in the guide why they stay in the terminal", () => {
    const [, table] = readFileSync(GUIDE, "utf8").split("## What stays in the terminal");
    const rows = [...table!.split("\n## ")[0]!.matchAll(/^\| (`.*`) +\| (.+?) +\|$/gm)];
    const reasons = new Map(
      rows.flatMap(([, names, reason]) =>
        Array.from(names!.matchAll(/`([^`]+)`/g), ([, name]) => [name!, reason!])
      ),
    );
    const placed = all.filter((words) => ACTIONS.has(words) || isShown(words));
    assertEquals([...placed, ...reasons.keys()].sort(), [...all].sort());
    assertEquals([...reasons.values()].filter((reason) => reason.length < 10), []);
  });

  it("that have a form are opened from a page", () => {
    assertEquals([...ACTIONS.keys()].filter((words) => !isShown(words)), []);
    assertEquals([...ACTIONS.keys()].filter((words) => !all.includes(words)), []);
  });
});
