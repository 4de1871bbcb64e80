import {
  ENDPOINTS,
  operationsOf,
  problemCodesOf,
  TOKEN_PROBLEM_REGISTRY,
  type TokenProblemCode,
} from "@gold-partner/protocol";

type Entry = (typeof TOKEN_PROBLEM_REGISTRY)[TokenProblemCode];

const INTRODUCTION = `# Errors

Every code that the service can answer with. This page is made from the registry that the service itself decides by; write it anew
with \`npm run docs\`.

A refusal is \`application/problem+json\` (RFC 9457), and its \`type\` leads to the entry below. Decide by \`code\`; treat one that
you do not know by its status. At \`POST /oauth/token\` refusals have OAuth's form, with the same \`code\` and without \`retryable\`: there 408,
429 and 5xx are worth a retry.

\`Retry-After\`, in whole seconds, comes with every 429 and 503 and with \`idempotency_request_in_progress\`. Where it does not come, wait 1 s, 2 s, 4 s …
between tries. \`X-Request-Id\` names the reply that you hold; in a replayed refusal the body's \`request_id\` names the first one. Either leads the operator there.

- **Retryable**: the same request may succeed later without anybody changing anything, sent with the same \`Idempotency-Key\` and,
  where it is signed, with a fresh nonce, timestamp and signature; after \`token_expired\` with a fresh token, too. A client that fetches one new token at
  \`token_expired\` and \`token_invalid\`, and gives up at the second in a row, needs no other rule for tokens.
- **Binds the key**: the \`Idempotency-Key\` gives this answer from now on, so try again with a new one.
- **Spends the nonce**: the \`X-Nonce\` of this request is used up. A fresh one for every request is always right.
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

function writeTable(...[head, rows]: readonly [readonly string[], readonly (readonly string[])[]]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |\n`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
}
