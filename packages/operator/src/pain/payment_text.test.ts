import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkText, compactUuid } from "./payment_text.ts";
import { refusalOf } from "./fixture.ts";

const refused = (text: string): string => refusalOf(() => checkText("The name", text));

describe("checkText()", () => {
  it("keeps registered names unchanged: Arabic, accents, signs, and characters that XML escapes", () => {
    for (
      const name of ["Example Bank", "شركة الذهب المحدودة", "Société & Co. <1>", "𐎀 1/2", 'O\'Neil; "x"']
    ) {
      assertEquals(checkText("The name", name), name);
    }
  });

  it("normalizes letters to NFC, so that equal names have equal bytes", () => {
    assertEquals(checkText("The name", "Socie\u0301te\u0301 \u0627\u0654"), "Soci\u00e9t\u00e9 \u0623");
  });

  it("accepts 1 to 140 Unicode characters, and rejects longer text and leading or trailing spaces", () => {
    for (const letter of ["a", "ذ", "𐎀"]) {
      assertEquals(checkText("The name", letter.repeat(140)), letter.repeat(140));
      assertStringIncludes(refused(letter.repeat(141)), "has 141 characters; a bank accepts 1 to 140");
    }
    assertStringIncludes(refused(""), "has 0 characters; a bank accepts 1 to 140");
    for (const text of [" ", " a", "a ", "a\u00a0"]) {
      assertStringIncludes(refused(text), "has leading or trailing spaces");
    }
  });

  it("rejects unprintable characters, and names the character", () => {
    const characters = [
      "0000",
      "0007",
      "0009",
      "000A",
      "007F",
      "0085",
      "00AD",
      "200B",
      "200F",
      "202E",
      "2028",
    ];
    for (const codePoint of [...characters, "2029", "2066", "FEFF", "FFFE", "FFFF", "D800", "DFFF", "E000"]) {
      const character = String.fromCodePoint(Number.parseInt(codePoint, 16));
      assertStringIncludes(
        refused(`Gold${character}House`),
        `The name contains the unprintable character U+${codePoint}`,
      );
    }
    assertStringIncludes(refused("Gold\u{1FFFE}"), "U+1FFFE");
  });
});

describe("compactUuid()", () => {
  it("removes the hyphens, so that 36 characters become 32", () => {
    assertEquals(compactUuid("019a9b3c-0000-7000-8000-00000000000f"), "019a9b3c00007000800000000000000f");
  });

  it("rejects text that is not a lower-case UUID", () => {
    const uuid = "019a9b3c-0000-7000-8000-00000000000f";
    for (const text of ["", `wd_${uuid}`, uuid.toUpperCase(), `${uuid}0`, uuid.slice(1), `${uuid}\n`]) {
      assertStringIncludes(refusalOf(() => compactUuid(text)), "is not a lower-case UUID");
    }
  });
});
