import {
  formatDecimal,
  GRAM_DECIMALS,
  parseSignedDecimal,
  PRICE_DECIMALS,
  QuantityError,
  SAR_DECIMALS,
} from "@gold-partner/protocol";
import { GoldError } from "./gold_error.ts";

const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** What is counted: money, gold, or money for a gram of gold. */
export type Unit = "SAR" | "g" | "SAR/g";

const DECIMALS: Readonly<Record<Unit, bigint>> = {
  SAR: SAR_DECIMALS,
  g: GRAM_DECIMALS,
  "SAR/g": PRICE_DECIMALS,
};

/**
 * An exact decimal with its unit. It is never a double: `+`, `<` and the like throw, and what takes their place is below.
 *
 * ```ts
 * import { Quantity } from "@gold-partner/client";
 *
 * const total = Quantity.sar("752.25").plus(Quantity.sar("0.10"));
 * console.log(`${total} SAR`, total.units, total.compare(Quantity.sar("1000")) < 0); // 752.35 SAR 75235n true
 * ```
 */
export class Quantity<U extends Unit = Unit> {
  readonly unit: U;
  /** The whole number of smallest units: halalas (0.01 SAR), 0.0001 g, or 0.0001 SAR/g. */
  readonly units: bigint;

  constructor(unit: U, units: bigint) {
    this.unit = unit;
    this.units = units;
    Object.freeze(this);
  }

  /** Money from its decimal text, of at most 2 decimals. */
  static sar(text: string): Sar {
    return Quantity.parse(text, "SAR");
  }

  /** Gold from its decimal text, of at most 4 decimals. */
  static grams(text: string): Grams {
    return Quantity.parse(text, "g");
  }

  /** Throws a GoldError, `argument_invalid`, where it is no decimal text of this unit: nothing is ever rounded. */
  static parse<U extends Unit>(text: string, unit: U): Quantity<U> {
    if (typeof text !== "string") {
      throw new GoldError(
        "argument_invalid",
        `A ${typeof text} is no decimal text; give one as in "1.5": a double has no exact decimals.`,
      );
    }
    try {
      return new Quantity(unit, parseSignedDecimal(text, DECIMALS[unit]));
    } catch (cause) {
      if (!(cause instanceof QuantityError)) throw cause;
      throw new GoldError("argument_invalid", cause.message, { cause });
    }
  }

  plus(other: Quantity<U>): Quantity<U> {
    return new Quantity(this.unit, this.units + this.#sameUnit(other));
  }

  minus(other: Quantity<U>): Quantity<U> {
    return new Quantity(this.unit, this.units - this.#sameUnit(other));
  }

  /** Below 0 where this one is less than the other, above 0 where it is more, 0 where they are equal. */
  compare(other: Quantity<U>): number {
    const units = this.#sameUnit(other);
    return this.units < units ? -1 : this.units > units ? 1 : 0;
  }

  /** `===` would ask whether they are the same object. */
  equals(other: Quantity<U>): boolean {
    return this.units === this.#sameUnit(other);
  }

  /** The shortest decimal text, without the unit: `752.25`. */
  toString(): string {
    return formatDecimal(this.units, DECIMALS[this.unit]);
  }

  /** Its text: a reader of JSON would make a double of a number. */
  toJSON(): string {
    return this.toString();
  }

  /** Gives its text where a text is wanted, and throws in arithmetic and comparison. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === "string") return this.toString();
    throw new TypeError(
      `A quantity (${this} ${this.unit}) takes no operator, which would reckon with doubles or join texts; ` +
        "use plus(), minus(), compare(), equals(), units, or String() for its text.",
    );
  }

  /** What a console shows. */
  [INSPECT](): string {
    return `${this} ${this.unit}`;
  }

  #sameUnit(other: Quantity<U>): bigint {
    if (other.unit === this.unit) return other.units;
    throw new TypeError(`${this.unit} and ${other.unit} do not go together.`);
  }
}

/** Money, to the halala. */
export type Sar = Quantity<"SAR">;
/** Gold, to a tenth of a milligram. */
export type Grams = Quantity<"g">;
/** The price of a gram. */
export type SarPerGram = Quantity<"SAR/g">;
