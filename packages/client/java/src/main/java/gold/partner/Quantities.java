package gold.partner;

import java.math.BigDecimal;

/** Checks money and gold before they are sent. Nothing is rounded. */
final class Quantities {
  private static final int SAR_DECIMALS = 2;
  private static final int GRAM_DECIMALS = 4;
  private static final BigDecimal GREATEST_DOUBLE = new BigDecimal(Double.MAX_VALUE);

  private Quantities() {}

  /** Returns an amount of SAR without trailing zeros. Null stays null: the member is left out. */
  static BigDecimal sar(String name, BigDecimal value) {
    return value == null ? null : check(name, value, SAR_DECIMALS);
  }

  /** Returns grams of gold without trailing zeros. Null stays null: the member is left out. */
  static BigDecimal grams(String name, BigDecimal value) {
    return value == null ? null : check(name, value, GRAM_DECIMALS);
  }

  static BigDecimal check(String name, BigDecimal value, int decimals) {
    String mistake = value.signum() <= 0
        ? "it is not above zero"
        : value.compareTo(GREATEST_DOUBLE) > 0
            ? "it is above the greatest double"
            : value.stripTrailingZeros().scale() > decimals ? "it has more than " + decimals + " decimals" : null;
    if (mistake == null) return value.stripTrailingZeros();
    throw new GoldException("argument_invalid", name + " is invalid: " + value + ": " + mistake + ".");
  }

  /** Refuses a request without a required member. */
  static <T> T given(String name, T value) {
    if (value == null) throw new GoldException("argument_invalid", name + " must not be null.");
    return value;
  }
}
