import { Name } from "@peculiar/x509";
import { PkiError } from "./errors.ts";

/** The subject of a certificate: the organisation's registered name, and its client_id as the common name. */
export interface Subject {
  readonly organization: string;
  readonly commonName: string;
}

// X.520's upper bound for both names. openssl refuses to put a longer name into a request, so no request
// could match a longer registered name.
export const SUBJECT_MAX_CHARACTERS = 64;

/** Writes UTF8String and avoids a DN's text form, so commas, quotes and Arabic need no escaping. */
export function writeSubject({ organization, commonName }: Subject): Name {
  return new Name([
    { O: [{ utf8String: checkText("organisation", organization) }] },
    { CN: [{ utf8String: checkText("common name", commonName) }] },
  ]);
}

/** Reads a subject with exactly one O and one CN, in any order. */
export function readSubject(name: Name): Subject {
  const attributes = name.toJSON().flatMap((rdn) => Object.entries(rdn))
    .flatMap(([type, values]) => values.map((value) => ({ type, value })));
  const organization = attributes.find(({ type }) => type === "O");
  const commonName = attributes.find(({ type }) => type === "CN");
  if (attributes.length !== 2 || organization === undefined || commonName === undefined) {
    const found = attributes.map(({ type }) => type).join(", ") || "nothing";
    throw new PkiError(
      "csr_subject_invalid",
      `The request's subject holds ${found}; it must hold exactly O and CN, because nothing else is checked or certified. Make it again with O = the registered name and CN = the client_id only.`,
    );
  }
  return { organization: organization.value, commonName: commonName.value };
}

/** Whether two texts look equal: one letter may be encoded as one code point or as two. */
export function isSameText(left: string, right: string): boolean {
  return left.normalize("NFC") === right.normalize("NFC");
}

function checkText(what: string, text: string): string {
  const value = text.normalize("NFC");
  const characters = [...value].length;
  if (
    characters < 1 || characters > SUBJECT_MAX_CHARACTERS || /\p{Cc}|\p{Cs}/u.test(value) ||
    value !== value.trim()
  ) {
    throw new PkiError(
      "subject_invalid",
      `The ${what} ${
        JSON.stringify(text)
      } cannot be used in a certificate. It must have 1 to ${SUBJECT_MAX_CHARACTERS} characters, no control characters, and no leading or trailing spaces. Register such a name.`,
    );
  }
  return value;
}
