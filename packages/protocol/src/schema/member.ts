// The members of the records that partners see. Each member of a record is written down once, in the record's
// own file: its name, its column, its form, whether a request has it, and its words. The schemas of requests
// and replies, the SQL that writes the record's JSON (tools/docs/record_sql.ts), the clients' types and the
// audit follow from it.
import { z } from "zod";
import type { IdPrefix } from "../id.ts";
import { grams, sar, sarPerGram } from "./quantity.ts";
import { idText, instant as instantText, type Open, openText, side as sideText } from "./text.ts";

/**
 * How a member's value is written in JSON. No column has the text of a `constant`, which is the same in every
 * record, or of an `argument`, which the caller of the writer passes.
 */
export type Form =
  | "id"
  | "constant"
  | "sar"
  | "grams"
  | "price"
  | "instant"
  | "side"
  | "text"
  | "iban"
  | "argument";

export interface Member<R extends z.ZodType = z.ZodType> {
  readonly form: Form;
  /** Begins every id of the form `id`. */
  readonly prefix?: string;
  /** The value of the form `constant`. */
  readonly value?: string;
  /** The column of the record's table, except of a `constant` and an `argument`. */
  readonly column?: string;
  readonly reply: R;
}

/** A member that a request may have. */
export interface ParamMember<R extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType>
  extends Member<R> {
  /** The schema of the parameter that gives the member. */
  readonly param: A;
  /** Whether an order inherits the value from its quote if its own request has none. */
  readonly inherited: boolean;
}
export type Members = Readonly<Record<string, Member>>;

export const id = (prefix: IdPrefix): Member<z.ZodString> => ({
  form: "id",
  prefix,
  column: "id",
  reply: idText(prefix),
});

/** A member that its column gives, in this form. `says` replaces the usual description. */
const from = <R extends z.ZodType>(form: Form, usual: R) => (column: string, says?: string): Member<R> => ({
  form,
  column,
  reply: says === undefined ? usual : usual.meta({ description: says }),
});
export const sarIn = from("sar", sar);
export const gramsIn = from("grams", grams);
export const priceIn = from("price", sarPerGram);
export const instantIn = from("instant", instantText);
export const sideIn = from("side", sideText);
export const ibanIn = from("iban", z.string());

/** A text. If the reply's schema is optional, null gives no member. */
export const textIn = <R extends z.ZodType>(column: string, reply: R): Member<R> => ({
  form: "text",
  column,
  reply,
});

export const constant = <V extends string>(value: V, says: string): Member<z.ZodType<Open<V>>> => ({
  form: "constant",
  value,
  reply: openText([value], says),
});

export const argument = <R extends z.ZodType>(reply: R): Member<R> => ({ form: "argument", reply });

/** Adds the parameter by which a request gives the member. */
export const withParam = <R extends z.ZodType, A extends z.ZodType>(
  member: Member<R>,
  param: A,
  { inherited = false } = {},
): ParamMember<R, A> => ({ ...member, param, inherited });

export const hasParam = (member: Member): member is ParamMember => "param" in member;

/** The shape of the reply's schema. */
export const replyOf = <M extends Members>(members: M): { [K in keyof M]: M[K]["reply"] } =>
  Object.fromEntries(Object.entries(members).map(([name, { reply }]) => [name, reply])) as never;

/** The shape of the request's schema: the members that a request may have. */
export const paramsOf = <M extends Members>(
  members: M,
): {
  [K in keyof M as M[K] extends ParamMember ? K : never]: M[K] extends ParamMember ? M[K]["param"] : never;
} =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) => hasParam(member) ? [[name, member.param]] : []),
  ) as never;

type Text = { readonly param: z.ZodOptional<z.ZodString> };

/** The partner's own texts: the members that a request may have and that are texts. */
export const textsOf = <M extends Members>(
  members: M,
): { [K in keyof M as M[K] extends Text ? K : never]: M[K] } =>
  Object.fromEntries(
    Object.entries(members).filter(([, member]) => hasParam(member) && member.form === "text"),
  ) as never;
