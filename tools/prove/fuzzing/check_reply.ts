import {
  PROBLEM_MEDIA_TYPE,
  PROBLEM_REGISTRY,
  type ProblemCode,
  problemSchema,
} from "@gold-partner/protocol";
import type { Reply } from "../stage/wire.ts";

/** Returns what is wrong with a reply to a mutated body, or undefined. */
export function checkReply(body: Uint8Array, reply: Reply | undefined): string | undefined {
  if (!reply) return "no reply";
  if (reply.status === 201) return checkSuccess(body, JSON.parse(reply.body) as Record<string, unknown>);
  if (reply.status < 400 || reply.status > 499) return `answered ${reply.status}`;
  if (reply.headers.get("content-type") !== PROBLEM_MEDIA_TYPE) return `wrong media type for ${reply.status}`;
  const problem = problemSchema.strict().safeParse(JSON.parse(reply.body));
  if (!problem.success) return `the body is not a problem document: ${reply.body.slice(0, 200)}`;
  const { code, status } = problem.data;
  if (PROBLEM_REGISTRY[code as ProblemCode]?.status !== reply.status || status !== reply.status) {
    return `${reply.status} with ${code}`;
  }
  return undefined;
}

const REQUESTS = ["gold_grams,side", "amount_sar,side", "quote_id"];

/** Checks with an independent parser that the body contains exactly what was booked. */
function checkSuccess(body: Uint8Array, made: Record<string, unknown>): string | undefined {
  let text: string;
  let sent: Record<string, unknown>;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    sent = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return "booked a body that is not JSON";
  }
  const names = Object.keys(sent).sort();
  if (!REQUESTS.includes(names.join())) return `booked ${names.join()}`;
  // The number of colons outside strings is the number of members, because no value is an object. A repeated
  // member adds a colon but no name.
  const colons = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").split(":").length - 1;
  if (colons !== names.length) return "booked a body with a repeated member";
  const foreign = names.find((name) => name !== "amount_sar" && sent[name] !== made[name]);
  return foreign && `booked ${foreign} ${made[foreign]} instead of ${sent[foreign]}`;
}
