import { describe, it } from "node:test";
import { FUNDING, type Member, type Members, ORDER, QUOTE, WITHDRAWAL } from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import { RECORD_CASES } from "../../../../tools/testing/record_cases.ts";
import { instantMs } from "../values.ts";
import { writerOf } from "./record_writer.ts";

const RECORDS: Readonly<Record<string, Members>> = {
  quote: QUOTE,
  order: ORDER,
  funding: FUNDING,
  withdrawal: WITHDRAWAL,
};

/** The value as the audit reads it from its column. */
function valueOf({ form }: Member, value: string | number | null | undefined): unknown {
  if (form === "instant") return instantMs(`${value}`);
  return ["sar", "grams", "price"].includes(form) ? BigInt(value!) : value;
}

describe("writerOf()", () => {
  it("has a vector with each member of each record", () => {
    for (const [record, members] of Object.entries(RECORDS)) {
      const texts = RECORD_CASES.filter((each) => each.record === record).map((each) => each.members).join();
      const missing = Object.keys(members).filter((name) => !texts.includes(`"${name}":`));
      assertEquals([record, missing], [record, []]);
    }
  });

  for (const { name, record, row, status, members } of RECORD_CASES) {
    it(`writes the text of the vector: ${name}`, () => {
      const columns = RECORDS[record]!;
      const values = Object.values(columns).map((
        member,
      ) => [member.column, valueOf(member, row[member.column ?? ""] ?? null)]);
      assertEquals(writerOf(columns)(Object.fromEntries(values), status ? { status } : {}), members);
    });
  }
});
