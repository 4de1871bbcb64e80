// Checks the texts of a payment file against the rules of banks' systems. Each check returns the text to
// write, or refuses the text and says how to correct it.
import { IbanError, parseIban } from "@gold-partner/protocol";
import { EXIT, Failure } from "../failure.ts";
import { UNPRINTABLE } from "../values.ts";

const NAME_MAX_CHARACTERS = 140;
const ID_FORM = /^[0-9A-Za-z-]{1,35}$/;
const BIC_FORM = /^[0-9A-Z]{4}[A-Z]{2}[0-9A-Z]{2}(?:[0-9A-Z]{3})?$/;
const UUID_FORM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const refuse = (message: string): Failure => new Failure(EXIT.refused, "payment_refused", message);

/** Returns a UUID without its hyphens. With them it has 36 characters, and the standard allows ids of 35. */
export function compactUuid(uuid: string): string {
  if (!UUID_FORM.test(uuid)) {
    throw refuse(`${JSON.stringify(uuid)} is not a lower-case UUID; pass the id without its prefix.`);
  }
  return uuid.replaceAll("-", "");
}

export function checkId(what: string, text: string): string {
  if (ID_FORM.test(text)) return text;
  throw refuse(
    `${what} ${
      JSON.stringify(text)
    } must be 1 to 35 letters, digits or hyphens. Write a UUID without its hyphens.`,
  );
}

/**
 * Returns a name or a reference, normalised to NFC, so that equal texts have equal bytes. The text is not
 * transliterated, because the bank compares names. Arabic is allowed, because the standard allows any Unicode
 * letter. The length limit counts Unicode characters, not bytes.
 */
export function checkText(what: string, text: string): string {
  const value = text.normalize("NFC");
  const unprintable = UNPRINTABLE.exec(value)?.[0].codePointAt(0);
  if (unprintable !== undefined) {
    const codePoint = unprintable.toString(16).toUpperCase().padStart(4, "0");
    throw refuse(
      `${what} contains the unprintable character U+${codePoint}, which a bank refuses or does not show. Register the text again without it.`,
    );
  }
  if (value !== value.trim()) {
    throw refuse(
      `${what} ${
        JSON.stringify(text)
      } has leading or trailing spaces, which a bank does not accept. Register the text again without them.`,
    );
  }
  const characters = [...value].length;
  if (characters < 1 || characters > NAME_MAX_CHARACTERS) {
    throw refuse(
      `${what} ${
        JSON.stringify(text)
      } has ${characters} characters; a bank accepts 1 to ${NAME_MAX_CHARACTERS}. gold does not shorten it: register the text that the bank knows.`,
    );
  }
  return value;
}

export function checkIban(what: string, text: string): string {
  try {
    return parseIban(text);
  } catch (error) {
    if (error instanceof IbanError) throw refuse(`${what} is invalid. ${error.message}`);
    throw error;
  }
}

export function checkBic(what: string, text: string): string {
  if (BIC_FORM.test(text)) return text;
  throw refuse(
    `${what} ${
      JSON.stringify(text)
    } is not a BIC: a BIC has 8 or 11 upper-case letters and digits. Ask the bank for it.`,
  );
}
