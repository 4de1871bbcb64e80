import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  PROBLEM_REGISTRY,
  problemBody,
  type ProblemCode,
  TOKEN_PROBLEM_REGISTRY,
} from "@gold-partner/protocol";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";

const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!);
const entryOf = (code: string) => page.split(/^## /m).find((entry) => entry.startsWith(`${code}\n`)) ?? "";

describe("docs/errors.md", () => {
  it("has one entry for every code, at the anchor that the problem's type links to", () => {
    assertEquals(headings, Object.keys(TOKEN_PROBLEM_REGISTRY));
    for (const code of Object.keys(PROBLEM_REGISTRY) as ProblemCode[]) {
      const { type } = problemBody(code, { requestId: "req_01890a5d-ac96-774b-bcce-b302099a8057" });
      const [path, anchor] = type.split("#");
      assertEquals([path, headings.includes(anchor!)], ["/docs/errors", true], code);
    }
  });

  it("shows each code's cause, remedy, effects and endpoints as the registry has them", () => {
    for (const [code, { status, title, cause, cure }] of Object.entries(TOKEN_PROBLEM_REGISTRY)) {
      for (const part of [`**${status}: ${title}.**`, cause, cure]) assertStringIncludes(entryOf(code), part);
    }
    assertMatch(page, /\| \[`not_found`\]\(#not_found\) +\| 404 +\| no +\| at an order +\| at an order +\|/);
    assertMatch(
      page,
      /\| \[`upstream_timeout`\]\(#upstream_timeout\) +\| 504 +\| yes +\| no +\| unknown +\|/,
    );
    assertStringIncludes(entryOf("internal_error"), "_Where:_ everywhere.");
    assertStringIncludes(entryOf("token_missing"), "_Where:_ everything that needs a token.");
    assertStringIncludes(entryOf("token_expired"), "everything that needs a token, `POST /sandbox/fund`.");
    assertStringIncludes(entryOf("quote_expired"), "_Where:_ `POST /v1/orders`.");
  });
});
