import { readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { TOKEN_PROBLEM_REGISTRY } from "@gold-partner/protocol";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readyText } from "@gold-partner/dev";

const DOCS = new URL("../../docs/", import.meta.url);
/** Matches a status and the codes that have it, such as 401 `token_missing`, `token_invalid`. */
const REFUSALS = /\b([45]\d\d) (`\w+`(?:, `\w+`)*)/g;
const registered = Object.entries(TOKEN_PROBLEM_REGISTRY).map(([code, { status }]) => `${code} ${status}`);

async function namedBy(page: string): Promise<string[]> {
  const text = (await readFile(new URL(page, DOCS), "utf8")).replace(/\s+/g, " ");
  return [...text.matchAll(REFUSALS)].flatMap(({ 1: status, 2: codes }) =>
    codes!.replaceAll("`", "").split(", ").map((code) => `${code} ${status}`)
  );
}

describe("the guide", () => {
  it("lists every error code with its status in the quickstart and in the rotation guide", async () => {
    // Read rotation.md, too, which has the refusals that only a rotation causes.
    const named = [...await namedBy("quickstart.md"), ...await namedBy("rotation.md")];
    assertEquals([...new Set(named)].sort(), registered.sort());
  });

  it("shows no error code with a status that differs from the service's", async () => {
    const pages = (await readdir(DOCS)).filter((name) => name.endsWith(".md"));
    assert(pages.length > 8);
    for (const page of pages) {
      assertEquals((await namedBy(page)).filter((refusal) => !registered.includes(refusal)), [], page);
    }
  });

  it("quotes the final output of npm start in the quickstart", async () => {
    const page = await readFile(new URL("quickstart.md", DOCS), "utf8");
    const [, words] = /until it says `([^`]+)`/.exec(page)!;
    const said = { base_url: "", docs: "", credentials: "", operator: "", curl: "", metrics: "", k6: "" };
    assertStringIncludes(readyText(said, "1"), words!);
  });

  it("mentions every error code in sandbox.md", async () => {
    const page = await readFile(new URL("sandbox.md", DOCS), "utf8");
    const codes = Object.keys(TOKEN_PROBLEM_REGISTRY).filter((code) =>
      !new RegExp(`\\b${code}\\b`).test(page)
    );
    assertEquals(codes, []);
  });
});
