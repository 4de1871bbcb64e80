// Withdrawals are paid in SAR, to Saudi accounts only. A Saudi IBAN is SA, two check digits, two digits of
// the bank, and eighteen letters or digits of the account.

/** Why an IBAN was refused. The names are stable, so callers can branch on them. */
export type IbanReason = "country" | "length" | "characters" | "check_digits";

export class IbanError extends Error {
  override readonly name: string = "IbanError";
  readonly reason: IbanReason;

  constructor(reason: IbanReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const SAUDI_LENGTH = 24;
const SAUDI_FORM = /^SA[0-9]{4}[0-9A-Z]{18}$/;

/**
 * Checks a Saudi IBAN and returns it unchanged.
 *
 * @param text The IBAN in its electronic form: upper case, without spaces.
 * @throws IbanError whose `reason` says what is wrong: `country`, `length`, `characters` or `check_digits`.
 * @example
 * ```ts
 * import { parseIban } from "@gold-partner/protocol";
 *
 * console.log(parseIban("SA0380000000608010167519")); // SA0380000000608010167519
 * ```
 */
export function parseIban(text: string): string {
  if (!text.startsWith("SA")) {
    throw new IbanError(
      "country",
      "The IBAN does not begin with SA; withdrawals are paid in SAR to Saudi accounts only.",
    );
  }
  if (text.length !== SAUDI_LENGTH) {
    throw new IbanError(
      "length",
      `The IBAN has ${text.length} characters; a Saudi IBAN has ${SAUDI_LENGTH}, without spaces.`,
    );
  }
  if (!SAUDI_FORM.test(text)) {
    throw new IbanError(
      "characters",
      "An IBAN must be SA, two check digits, two digits of the bank, then eighteen digits or upper-case letters.",
    );
  }
  if (!checkDigitsHold(text)) {
    throw new IbanError(
      "check_digits",
      "The IBAN's check digits do not match the rest; a character is wrong or two are swapped.",
    );
  }
  return text;
}

/**
 * ISO 7064 MOD 97-10. Refuses the digits 00, 01 and 99: they can pass the division, but the standard's
 * calculation never gives them.
 */
function checkDigitsHold(iban: string): boolean {
  const checkDigits = iban.slice(2, 4);
  if (checkDigits < "02" || checkDigits > "98") return false;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(
    /[A-Z]/g,
    (letter) => `${letter.charCodeAt(0) - 55}`,
  );
  return BigInt(digits) % 97n === 1n;
}

/**
 * Masks an IBAN. The country, the check digits and the last four characters stay, so that the owner
 * recognises the account.
 *
 * @param iban The IBAN. A text of at most 8 characters is masked completely.
 * @example
 * ```ts
 * import { maskIban } from "@gold-partner/protocol";
 *
 * console.log(maskIban("SA0380000000608010167519")); // SA03****************7519
 * ```
 */
export function maskIban(iban: string): string {
  // Mask all of a short text, because its two ends would show all of it.
  if (iban.length <= 8) return "*".repeat(iban.length);
  return `${iban.slice(0, 4)}${"*".repeat(iban.length - 8)}${iban.slice(-4)}`;
}
