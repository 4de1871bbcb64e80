// Partners are paid in SAR, and SAR is paid out to Saudi accounts: SA, two check digits, a bank of two digits and an
// account of eighteen letters or digits.

/** Why an IBAN was refused. Stable: callers may decide by it. */
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

/** A Saudi IBAN in its electronic form (no spaces, upper case), or an IbanError that says what is wrong with it. */
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
      `The IBAN has ${text.length} characters; a Saudi one has ${SAUDI_LENGTH}, without spaces.`,
    );
  }
  if (!SAUDI_FORM.test(text)) {
    throw new IbanError(
      "characters",
      "The IBAN is SA, two check digits, two digits of the bank, then eighteen digits or upper-case letters.",
    );
  }
  if (!checkDigitsHold(text)) {
    throw new IbanError(
      "check_digits",
      "The IBAN's check digits do not fit the rest; a character is wrong or two are swapped.",
    );
  }
  return text;
}

/** ISO 7064 MOD 97-10. The digits 00, 01 and 99 would pass the division, but no bank computes them. */
function checkDigitsHold(iban: string): boolean {
  const checkDigits = iban.slice(2, 4);
  if (checkDigits < "02" || checkDigits > "98") return false;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(
    /[A-Z]/g,
    (letter) => `${letter.charCodeAt(0) - 55}`,
  );
  return BigInt(digits) % 97n === 1n;
}

/** Enough to recognise one's own account by: country, check digits and the last four characters. */
export function maskIban(iban: string): string {
  // Of a text so short the ends would be all there is.
  if (iban.length <= 8) return "*".repeat(iban.length);
  return `${iban.slice(0, 4)}${"*".repeat(iban.length - 8)}${iban.slice(-4)}`;
}
