// The two texts that a partner may give a quote, an order or a withdrawal. The service stores and returns
// them unchanged. There are no separate balances for them.
import { z } from "zod";
import { PARTNER_TEXT_FORM, PARTNER_TEXT_MAX_CHARACTERS } from "../limit.ts";
import { asked, type AskedMember, textIn } from "./member.ts";

function partnerText(name: string, description: string): z.ZodOptional<z.ZodString> {
  const rule =
    `${name} must be a string of 1 to ${PARTNER_TEXT_MAX_CHARACTERS} characters (Unicode code points) ` +
    "without control characters, line breaks, characters that change the text direction, or a space at either end.";
  return z.string({ error: rule }).regex(PARTNER_TEXT_FORM, rule)
    .meta({ description, minLength: 1, maxLength: PARTNER_TEXT_MAX_CHARACTERS }).optional();
}

const replied = (description: string) => z.string().meta({ description }).optional();

export const referenceParam: z.ZodOptional<z.ZodString> = partnerText(
  "reference",
  "Your own reference, such as the number of your customer's order. It need not be unique.",
);
export const accountLabelParam: z.ZodOptional<z.ZodString> = partnerText(
  "account_label",
  "Your own customer, account or desk. All labels share your one balance.",
);
const label = textIn(
  "account_label",
  replied("Your own customer, account or desk; absent if you sent none."),
);

export const accountLabel: AskedMember<z.ZodOptional<z.ZodString>, typeof accountLabelParam> = asked(
  label,
  accountLabelParam,
);

/** The two texts of quotes and orders. An order inherits each from its quote, unless its own request gives one. */
export const partnerTexts = ({ inherited = false } = {}) => ({
  reference: asked(
    textIn("reference", replied("Your own reference; absent if you sent none.")),
    referenceParam,
    { inherited },
  ),
  account_label: asked(label, accountLabelParam, { inherited }),
});
