import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { expectShown, readSteps } from "./doc_fixture.ts";

const page = (...blocks: string[]) => blocks.join("\n\nWords.\n\n");
const typed = "```sh\necho 1\n```";
const answer = "```text\n1\n```";

describe("readSteps()", () => {
  it("returns each sh block with the text block that follows as its answer", () => {
    assertEquals(readSteps(page(typed, answer, typed)), [
      { line: 1, commands: "echo 1\n", shown: "1\n" },
      { line: 13, commands: "echo 1\n" },
    ]);
  });

  it("throws for a block that would be skipped", () => {
    const passedOver = [
      page(answer),
      page(typed, answer, answer),
      page(typed, "```bash\necho 2\n```"),
      page(typed, "```\necho 2\n```"),
      page(typed, "~~~sh\necho 2\n~~~"),
      page(typed, "- item\n\n  ```sh\n  echo 2\n  ```"),
      page(typed, "    echo 2"),
      page(typed, "```sh\necho 2"),
    ];
    for (const text of passedOver) assertThrows(() => readSteps(text), Error);
  });
});

describe("expectShown()", () => {
  const shown = '{\n  "id": "qt_…",\n  "grams": 1.5,\n  "offset": …\n}\n201\n';

  it("accepts the shown answer with other line breaks, and any value where the page has an ellipsis", () => {
    expectShown('{"id":"qt_7","grams":1.5,"offset":-0.9}\n201\n', shown);
    expectShown('{"id":"qt_8","grams":1.5,"offset":null}\n201\n', shown);
    expectShown("at,id\r\n2026,ord_1\r\n\n200\n", "at,id\n…,ord_…\n200\n");
  });

  it("throws if a value, a member, their order or the status differs", () => {
    const others = [
      '{"id":"ord_7","grams":1.5,"offset":0}\n201\n',
      '{"id":"qt_7","grams":1.50001,"offset":0}\n201\n',
      '{"id":"qt_7","grams":"1.5","offset":0}\n201\n',
      '{"id":"qt_7","grams":1.5,"offset":{}}\n201\n',
      '{"id":"qt_7","grams":1.5}\n201\n',
      '{"id":"qt_7","grams":1.5,"offset":0,"more":1}\n201\n',
      '{"grams":1.5,"id":"qt_7","offset":0}\n201\n',
      '{"id":"qt_7","grams":1.5,"offset":0}\n200\n',
      "",
    ];
    for (const came of others) assertThrows(() => expectShown(came, shown), Error);
    assertThrows(() => expectShown("1,2\n200\n", "1,…,3\n200\n"), Error);
  });
});
