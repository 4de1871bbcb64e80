import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { writeXml } from "./xml.ts";

describe("writeXml()", () => {
  it("writes one element per line, indented by its depth", () => {
    assertEquals(
      writeXml(["a", [["b", [["c", "1"]]], ["d", "2", { e: "3", f: "4" }]], { g: "5" }]),
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<a g="5">\n  <b>\n    <c>1</c>\n  </b>\n  <d e="3" f="4">2</d>\n</a>\n',
    );
  });

  it("escapes &, <, > and double quotes once, and no other character", () => {
    assertEquals(
      writeXml(["a", `&amp; <b> ]]> "q" 'p' $& ذهب`, { c: `"<&>` }]).split("\n")[1],
      `<a c="&quot;&lt;&amp;&gt;">&amp;amp; &lt;b&gt; ]]&gt; &quot;q&quot; 'p' $&amp; ذهب</a>`,
    );
  });
});
