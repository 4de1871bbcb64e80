import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { composeIBAN, isValidIBAN } from "ibantools";
import { describe, it } from "node:test";
import { IbanError, maskIban, parseIban } from "./iban.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

const EXAMPLE = "SA0380000000608010167519"; // the example in the IBAN registry

function accepts(text: string): boolean {
  try {
    return parseIban(text) === text;
  } catch (error) {
    assert(error instanceof IbanError);
    return false;
  }
}

const judged = (text: string): boolean => isValidIBAN(text) && text.startsWith("SA");

const digit = fc.constantFrom(..."0123456789");
const character = fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
const account = fc.tuple(
  fc.string({ unit: digit, minLength: 2, maxLength: 2 }),
  fc.string({ unit: fc.oneof(digit, character), minLength: 18, maxLength: 18 }),
).map((parts) => parts.join(""));
const valid = account.map((bban) => composeIBAN({ countryCode: "SA", bban })).filter((iban) => iban !== null);

describe("parseIban()", () => {
  it("accepts every IBAN that ibantools composes", () => {
    assertEquals(parseIban(EXAMPLE), EXAMPLE);
    fc.assert(fc.property(valid, (iban) => assertEquals(parseIban(iban), iban)), { numRuns: 2_000 });
  });

  it("agrees with ibantools on mutated IBANs", () => {
    const mutation = fc.tuple(
      valid,
      fc.nat(23),
      fc.oneof(character, fc.constantFrom("a", " ", "-", "", "00")),
    );
    fc.assert(
      fc.property(mutation, ([iban, at, by]) => {
        const mutated = iban.slice(0, at) + by + iban.slice(at + 1);
        assertEquals(accepts(mutated), judged(mutated), mutated);
      }),
      { numRuns: 5_000 },
    );
  });

  it("agrees with ibantools on all 100 pairs of check digits of an account", () => {
    for (const bban of [EXAMPLE.slice(4), "800000006080101675AZ", "00000000000000000000"]) {
      let accepted = 0;
      for (let check = 0; check < 100; check++) {
        const iban = `SA${String(check).padStart(2, "0")}${bban}`;
        assertEquals(accepts(iban), judged(iban), iban);
        if (accepts(iban)) accepted++;
      }
      assertEquals(accepted, 1, bban);
    }
  });

  it("refuses the check digits 00, 01 and 99, which pass mod 97 but are never computed", () => {
    const divides = (iban: string) => {
      const digits = (iban.slice(4) + iban.slice(0, 4)).replace("SA", "2810");
      return BigInt(digits) % 97n === 1n;
    };
    const found = new Set<string>();
    for (let last = 0; last < 100; last++) {
      const bban = EXAMPLE.slice(4, 22) + String(last).padStart(2, "0");
      for (const check of ["00", "01", "99"].filter((check) => divides(`SA${check}${bban}`))) {
        found.add(check);
        assertEquals(assertThrows(() => parseIban(`SA${check}${bban}`), IbanError).reason, "check_digits");
      }
    }
    assertEquals(found.size, 3);
  });

  it("reports the reason of each refusal", () => {
    const refused = [
      ["", "country"],
      ["sa0380000000608010167519", "country"],
      ["DE89370400440532013000", "country"],
      ["SA03", "length"],
      ["SA03 8000 0000 6080 1016 7519", "length"],
      [`${EXAMPLE}0`, "length"],
      ["SA038000000060801016751a", "characters"],
      ["SAX380000000608010167519", "characters"],
      ["SA03A0000000608010167519", "characters"],
      ["SA0380000000608010167591", "check_digits"],
    ] as const;
    for (const [text, reason] of refused) {
      assertEquals(assertThrows(() => parseIban(text), IbanError).reason, reason, text);
    }
  });
});

describe("maskIban()", () => {
  it("keeps the first and the last four characters", () => {
    assertEquals(maskIban(EXAMPLE), "SA03****************7519");
    assertEquals(maskIban("SA0380007"), "SA03*0007");
  });

  it("masks a text of up to eight characters completely", () => {
    for (const text of ["", "SA03", "SA037519"]) assertEquals(maskIban(text), "*".repeat(text.length));
  });
});
