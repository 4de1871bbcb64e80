import type { Node } from "typescript/unstable/ast";
import {
  isIdentifier,
  isNumericLiteral,
  isPropertyAccessExpression,
  SyntaxKind,
} from "typescript/unstable/ast";

/** Files that read, write, calculate or book quantities. They must not use a double. */
export const EXACT: readonly RegExp[] = [
  /^packages\/protocol\/src\/(quantity|quantity_range|rounding|fingerprint|json_text)\.ts$/,
  /^packages\/server\/src\/(booking|reads)\/.+\.ts$/,
  /^packages\/audit\/src\/registry\/payment_document\.ts$/,
];

/**
 * Exceptions among these files: the names that a file may declare as a number, or "no quantity" for a file
 * that holds no quantity.
 */
export const NO_QUANTITY: Readonly<Record<string, "no quantity" | readonly string[]>> = {
  // Queues and their connections. The numbers are client numbers, counts and milliseconds.
  "packages/server/src/booking/batcher.ts": "no quantity",
  "packages/server/src/booking/booking.ts": ["lanes", "waiting", "oldestSeconds", "client"],
  // A client number, and how long a reply hangs.
  "packages/server/src/booking/simulation/book_simulation.ts": ["client", "seconds"],
  // An item's index in its batch, an HTTP status, and the items of an array, such as client numbers.
  "packages/server/src/booking/trading/book_orders.ts": ["item"],
  "packages/server/src/booking/trading/book_quotes.ts": ["item"],
  "packages/server/src/booking/outcome.ts": ["status"],
  // Client numbers.
  "packages/server/src/booking/outbox/event_notices.ts": ["client", "clients"],
  // The number of random bytes.
  "packages/server/src/booking/trading/price_ticker.ts": ["length"],
  // Client numbers, a day of the week, an event number and a count of rows.
  "packages/server/src/reads/account_reads.ts": ["client"],
  "packages/server/src/reads/market_reads.ts": ["client", "day"],
  "packages/server/src/reads/record_reads.ts": ["client", "clients", "newestEvents", "after", "most"],
  "packages/server/src/reads/statement.ts": ["client"],
  // Client numbers and counts of waiting reads, and the weights of an Accept header.
  "packages/server/src/reads/account_queue.ts": "no quantity",
  "packages/server/src/reads/media_type.ts": "no quantity",
};

const DOUBLE_NAMES = new Set([
  ...["Number", "parseFloat", "parseInt", "Math", "Intl", "globalThis"],
  ...["toFixed", "toPrecision", "toExponential"],
  ...["Float16Array", "Float32Array", "Float64Array", "DataView"],
]);

export function isExactFile(path: string): boolean {
  return EXACT.some((pattern) => pattern.test(path)) && NO_QUANTITY[path] !== "no quantity";
}

/**
 * Returns how this node leads to a double, or undefined if it does not. It looks only at the syntax, not at
 * the names of variables. So a misleading name cannot hide a double.
 */
export function doubleIn(node: Node, path: string): string | undefined {
  if (isIdentifier(node)) {
    if (DOUBLE_NAMES.has(node.text)) return `uses ${node.text}`;
    return node.text === "JSON" && !isStringify(node.parent)
      ? "uses JSON for more than stringify"
      : undefined;
  }
  if (isNumericLiteral(node)) {
    const whole = /^(\d[\d_]*|0[xob][\da-f_]+)$/i.test(node.getText());
    return whole ? undefined : `writes ${node.getText()}`;
  }
  if (node.kind === SyntaxKind.PrefixUnaryExpression) {
    return (node as Node & { operator: SyntaxKind }).operator === SyntaxKind.PlusToken
      ? "applies unary +"
      : undefined;
  }
  return doubleType(node, path);
}

function doubleType({ kind, parent }: Node, path: string): string | undefined {
  const cast = parent?.kind === SyntaxKind.AsExpression ||
    parent?.kind === SyntaxKind.TypeAssertionExpression;
  if (kind === SyntaxKind.AnyKeyword) return "uses the type any";
  if (cast && (kind === SyntaxKind.UnknownKeyword || kind === SyntaxKind.NeverKeyword)) {
    return "casts a type away";
  }
  if (kind !== SyntaxKind.NumberKeyword) return undefined;
  const name = cast ? "" : declaredName(parent);
  return NO_QUANTITY[path]?.includes(name) ? undefined : `gives ${name || "a value"} the type number`;
}

/** The name of the nearest declaration that encloses a type. */
function declaredName(node: Node | undefined): string {
  const { name, parent } = (node ?? {}) as { name?: Node; parent?: Node };
  if (name && isIdentifier(name)) return name.text;
  return parent ? declaredName(parent) : "";
}

function isStringify(node: Node): boolean {
  return isPropertyAccessExpression(node) && node.name.text === "stringify";
}
