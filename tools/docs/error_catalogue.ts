import {
  ENDPOINTS,
  operationsOf,
  problemCodesOf,
  TOKEN_PROBLEM_REGISTRY,
  type TokenProblemCode,
} from "@gold-partner/protocol";
import { writeTable } from "./table.ts";

type Entry = (typeof TOKEN_PROBLEM_REGISTRY)[TokenProblemCode];

const INTRODUCTION = `# Errors

Every error code that the service can return. This page is made from the registry that the
service itself uses.

A refusal is \`application/problem+json\` (RFC 9457), and its \`type\` links to the entry below. Handle
errors by \`code\`. Handle a code that you do not know by its status. At \`POST /oauth/token\`, refusals
have OAuth's format, with the same \`code\` and without \`retryable\`: retry 408, 429 and 5xx there.

Every 429, every 503 and \`idempotency_request_in_progress\` come with \`Retry-After\`, in whole
seconds. Without this header, wait 1 s, 2 s, 4 s … between retries. \`X-Request-Id\` identifies the
reply that you received. In a replayed refusal, \`request_id\` in the body identifies the first reply.
The operator can find the request by either id.

- **Retryable**: the same request may succeed later without any change. Send it again with the same
  \`Idempotency-Key\`. If it is signed, use a fresh nonce, timestamp and signature. After
  \`token_expired\`, use a fresh token, too. This rule is enough for tokens: fetch one new token after
  \`token_expired\` or \`token_invalid\`, and give up if the next reply is one of them again.
- **Binds the key**: the \`Idempotency-Key\` returns this answer from now on. To try again, use a new
  key.
- **Spends the nonce**: the \`X-Nonce\` of this request is used up. A fresh nonce for every request is
  always correct.
`;

/**
 * Returns the text of docs/errors.md. Each code is a heading, because the `type` of a problem links to the
 * anchor of that heading.
 */
export function writeErrorCatalogue(): string {
  const entries = Object.entries(TOKEN_PROBLEM_REGISTRY) as [TokenProblemCode, Entry][];
  const rows = entries.map(([code, { status, retryable, binds_key, spends_nonce }]) => [
    `[\`${code}\`](#${code})`,
    `${status}`,
    effect(retryable),
    effect(binds_key),
    effect(spends_nonce),
  ]);
  const table = writeTable(["Code", "Status", "Retryable", "Binds the key", "Spends the nonce"], rows);
  return [INTRODUCTION, table, ...entries.map(([code, entry]) => writeEntry(code, entry))].join("\n");
}

function writeEntry(code: TokenProblemCode, { status, title, cause, cure }: Entry): string {
  return `## ${code}\n\n**${status}: ${title}.** ${cause}\n\n_What to do:_ ${cure}\n\n_Where:_ ${
    whereOf(code)
  }\n`;
}

/**
 * Names the operations that can return the code. Long lists are shortened to "everywhere" or "everything that
 * needs a token".
 */
function whereOf(code: TokenProblemCode): string {
  const all = operationsOf("sandbox");
  const where = all.filter((operation) => problemCodesOf(ENDPOINTS[operation]).includes(code));
  if (where.length === all.length) return "everywhere.";
  const name = (operation: (typeof all)[number]) =>
    `\`${ENDPOINTS[operation].method} ${ENDPOINTS[operation].path}\``;
  const withToken = all.filter((operation) => ENDPOINTS[operation].token === "required");
  const others = where.filter((operation) => !withToken.includes(operation));
  const list = where.length - others.length === withToken.length
    ? ["everything that needs a token", ...others.map(name)]
    : where.map(name);
  return `${list.join(", ")}.`;
}

function effect(does: Entry["spends_nonce"]): string {
  switch (does) {
    case true:
      return "yes";
    case false:
      return "no";
    case "order_quote_id":
      return "at an order";
    case "unknown":
      return "unknown";
  }
}
