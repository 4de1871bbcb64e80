// The texts that a partner may give a quote, an order or a withdrawal. The service stores and returns them
// unchanged. There are no separate balances for them.
import { z } from "zod";
import { PARTNER_TEXT_FORM, PARTNER_TEXT_MAX_CHARACTERS } from "../limit.ts";
import { type ParamMember, textIn, withParam } from "./member.ts";

type PartnerText = ParamMember<z.ZodOptional<z.ZodString>, z.ZodOptional<z.ZodString>>;

/** `says` describes the text in requests, and `short` in replies, which have it only if it was given. */
interface Words {
  readonly name: string;
  readonly says: string;
  readonly short: string;
}

/** A text whose column has its name. */
export function partnerText(
  { name, says, short }: Words,
  options: { inherited?: boolean } = {},
): PartnerText {
  const rule =
    `${name} must be a string of 1 to ${PARTNER_TEXT_MAX_CHARACTERS} characters (Unicode code points) ` +
    "without control characters, line breaks, characters that change the text direction, or a space at either end.";
  return withParam(
    textIn(name, z.string().meta({ description: `${short}; absent if you sent none.` }).optional()),
    z.string({ error: rule }).regex(PARTNER_TEXT_FORM, rule)
      .meta({ description: says, minLength: 1, maxLength: PARTNER_TEXT_MAX_CHARACTERS }).optional(),
    options,
  );
}

export const PARTNER_REFERENCE: Words = {
  name: "reference",
  says: "Your own reference, such as the number of your customer's order. It need not be unique.",
  short: "Your own reference",
};

export const ACCOUNT_LABEL: Words = {
  name: "account_label",
  says: "Your own customer, account or desk. All labels share your one balance.",
  short: "Your own customer, account or desk",
};
