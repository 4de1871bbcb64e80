import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { TOKEN_PROBLEM_REGISTRY } from "@gold-partner/protocol";

const PAGE = new URL("../../../docs/quickstart.md", import.meta.url);
/** A status and the codes that have it: 401 `token_missing`, `token_invalid`. */
const REFUSALS = /\b([45]\d\d) (`\w+`(?:, `\w+`)*)/g;

describe("the quickstart", () => {
  it("names every refusal that a reader may meet, each with its status", async () => {
    const page = (await readFile(PAGE, "utf8")).replace(/\s+/g, " ");
    const named = [...page.matchAll(REFUSALS)].flatMap(({ 1: status, 2: codes }) =>
      codes!.replaceAll("`", "").split(", ").map((code) => `${code} ${status}`)
    );
    const registered = Object.entries(TOKEN_PROBLEM_REGISTRY).map(([code, { status }]) =>
      `${code} ${status}`
    );
    assertEquals([...new Set(named)].sort(), registered.sort());
  });
});
