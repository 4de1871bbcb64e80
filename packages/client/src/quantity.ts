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

/** The unit of a quantity: money, gold, or the price of a gram of gold. */
export type Unit = "SAR" | "g" | "SAR/g";

const DECIMALS: Readonly<Record<Unit, bigint>> = {
  SAR: SAR_DECIMALS,
  g: GRAM_DECIMALS,
  "SAR/g": PRICE_DECIMALS,
};

/**
 * An exact decimal with its unit. It is never a double: operators such as `+` and `<` throw. Use plus(),
 * minus(), compare() and equals() instead.
 *
 * ```ts
 * import { Quantity } from "@gold-partner/client";
 *
 * const total = Quantity.sar("752.25").plus(Quantity.sar("0.10"));
 * console.log(`${total} SAR`, total.units, total.compare(Quantity.sar("800")) < 0); // 752.35 SAR 75235n true
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

  /**
   * Reads an amount of money.
   *
   * @param text Decimal text in SAR with at most 2 decimals.
   * @throws GoldError `argument_invalid` when the text is not such a decimal. Nothing is ever rounded.
   * @example
   * const total = Quantity.sar("752.25");
   */
  static sar(text: string): Sar {
    return Quantity.parse(text, "SAR");
  }

  /**
   * Reads a weight of gold.
   *
   * @param text Decimal text in grams with at most 4 decimals.
   * @throws GoldError `argument_invalid` when the text is not such a decimal. Nothing is ever rounded.
   * @example
   * const gold = Quantity.grams("1.5");
   */
  static grams(text: string): Grams {
    return Quantity.parse(text, "g");
  }

  /**
   * Reads a quantity of any unit.
   *
   * @param text Decimal text with at most 2 decimals for SAR, and at most 4 for g and SAR/g.
   * @param unit The quantity's unit.
   * @throws GoldError `argument_invalid` when the text is not such a decimal. Nothing is ever rounded.
   * @example
   * const price = Quantity.parse("500.0001", "SAR/g");
   */
  static parse<U extends Unit>(text: string, unit: U): Quantity<U> {
    if (typeof text !== "string") {
      throw new GoldError(
        "argument_invalid",
        `A ${typeof text} is not a decimal string. Pass a string such as "1.5", because a double has no exact ` +
          "decimals.",
      );
    }
    try {
      return new Quantity(unit, parseSignedDecimal(text, DECIMALS[unit]));
    } catch (cause) {
      if (!(cause instanceof QuantityError)) throw cause;
      throw new GoldError("argument_invalid", cause.message, { cause });
    }
  }

  /**
   * Returns the exact sum.
   *
   * @param other A quantity of the same unit.
   * @throws TypeError when the units differ.
   * @example
   * const sum = Quantity.sar("752.25").plus(Quantity.sar("0.10")); // 752.35 SAR
   */
  plus(other: Quantity<U>): Quantity<U> {
    return new Quantity(this.unit, this.units + this.#sameUnit(other));
  }

  /**
   * Returns the exact difference, which may be negative.
   *
   * @param other A quantity of the same unit.
   * @throws TypeError when the units differ.
   * @example
   * const rest = Quantity.grams("1.5").minus(Quantity.grams("2")); // -0.5 g
   */
  minus(other: Quantity<U>): Quantity<U> {
    return new Quantity(this.unit, this.units - this.#sameUnit(other));
  }

  /**
   * Returns -1 when this quantity is less than `other`, 1 when it is more, and 0 when both are equal.
   *
   * @param other A quantity of the same unit.
   * @throws TypeError when the units differ.
   * @example
   * if (order.total_sar.compare(Quantity.sar("1000")) > 0) console.log("above 1,000 SAR");
   */
  compare(other: Quantity<U>): number {
    const units = this.#sameUnit(other);
    return this.units < units ? -1 : this.units > units ? 1 : 0;
  }

  /**
   * Returns whether both quantities are equal. Do not use `===`: it compares the objects.
   *
   * @param other A quantity of the same unit.
   * @throws TypeError when the units differ.
   * @example
   * const isSame = Quantity.sar("1").equals(Quantity.sar("1.00")); // true
   */
  equals(other: Quantity<U>): boolean {
    return this.units === this.#sameUnit(other);
  }

  /** The shortest decimal text, without the unit: `752.25`. */
  toString(): string {
    return formatDecimal(this.units, DECIMALS[this.unit]);
  }

  /**
   * Returns the decimal text with trailing zeros, without the unit: `752.30`.
   *
   * @param decimals How many decimals the text has. Default: those of the unit, 2 for SAR and 4 for g and SAR/g.
   * @throws GoldError `argument_invalid` when the quantity has more decimals. Nothing is ever rounded.
   * @example
   * console.log(`${order.total_sar.toFixed(2)} SAR`); // 752.30 SAR
   */
  toFixed(decimals: number = Number(DECIMALS[this.unit])): string {
    const [whole, fraction = ""] = this.toString().split(".");
    if (fraction.length <= decimals) return [whole, fraction.padEnd(decimals, "0")].filter(Boolean).join(".");
    throw new GoldError("argument_invalid", `${this} ${this.unit} has more than ${decimals} decimals.`);
  }

  /** Returns the decimal text as a JSON string, because a JSON parser would read a number as a double. */
  toJSON(): string {
    return this.toString();
  }

  /** Returns the decimal text in a template or for String(). Throws in arithmetic and comparison. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === "string") return this.toString();
    throw new TypeError(
      `A quantity (${this} ${this.unit}) does not support operators, which would calculate with doubles or join strings; ` +
        "use plus(), minus(), compare(), equals(), units, or String() for its text.",
    );
  }

  /** The text that a console shows. */
  [INSPECT](): string {
    return `${this} ${this.unit}`;
  }

  #sameUnit(other: Quantity<U>): bigint {
    if (other.unit === this.unit) return other.units;
    throw new TypeError(`${this.unit} and ${other.unit} are different units; use quantities of one unit.`);
  }
}

/** Money, to the halala. */
export type Sar = Quantity<"SAR">;
/** Gold, to a tenth of a milligram. */
export type Grams = Quantity<"g">;
/** The price of a gram. */
export type SarPerGram = Quantity<"SAR/g">;
