import { JsonNumber } from "@gold-partner/canonical";
import { z } from "zod";

/**
 * The schema of a JSON body. It refuses unknown members: if it ignored a misspelled member, the service could
 * execute a request that the partner did not mean.
 */
export function requestBody<S extends z.core.$ZodLooseShape>(
  meta: { readonly id: string; readonly description: string; readonly oneOf?: readonly object[] },
  shape: S,
): z.ZodPreprocess<z.ZodObject<S, z.core.$strict>> {
  const members = Object.keys(shape);
  const takes = members.length === 0 ? "an empty object" : `an object with ${members.join(", ")}`;
  const body = z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `This member is unknown; the body must be ${takes}. Remove it or correct its name.`
        : `The body must be ${takes}, sent as application/json.`,
  }).meta(meta);
  // Refuse a JsonNumber. For zod it is an object with the member `source`, but in JSON it is a number.
  return z.preprocess((value) => value instanceof JsonNumber ? undefined : value, body);
}

/** The body of a write without parameters. */
export const emptyRequest = requestBody({ id: "EmptyRequest", description: "An empty object." }, {});
