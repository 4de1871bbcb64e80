import type { Node } from "typescript/unstable/ast";
import {
  isAsExpression,
  isBinaryExpression,
  isCallExpression,
  isFunctionTypeNode,
  isIdentifier,
  isMappedTypeNode,
  isNewExpression,
  isNumericLiteral,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isTypeAssertion,
  isTypeLiteralNode,
  isTypeReferenceNode,
  SyntaxKind,
} from "typescript/unstable/ast";
import { doubleIn, isExactFile } from "./exact_files.ts";
import type { Violation } from "./violation.ts";
import { lineOf, walk } from "./syntax.ts";
import { isTest, type Tree } from "./tree.ts";

/** Folders in which money and gold are bigint everywhere. */
const BIGINT_FOLDERS = /^packages\/(protocol|server|audit|client|operator)\/src\//;

/**
 * The last words of the names of quantities, such as `amountHalalas`, `pricePips` and `amount_sar`. A final
 * "after" is ignored, as in `balance_after`.
 */
const QUANTITY_WORDS = new Set([
  ...["halala", "microhalala", "sar", "gram", "milligram", "pip"],
  ...["price", "amount", "balance"],
]);
/** The property with the text of a JSON number, as it was received. */
const SOURCE = "source";

const FLOAT_CALLS = new Set(["Number", "parseFloat", "parseInt"]);
const FLOAT_METHODS = new Set(["toFixed", "toPrecision", "toExponential"]);
const ARITHMETIC = new Set([
  ...[SyntaxKind.PlusToken, SyntaxKind.MinusToken, SyntaxKind.AsteriskToken, SyntaxKind.SlashToken],
  ...[SyntaxKind.PercentToken, SyntaxKind.AsteriskAsteriskToken],
]);

/**
 * Finds explicit conversions of quantities to doubles; TypeScript itself refuses to mix bigint with number.
 * The files of EXACT may contain no conversion at all. In other files, a conversion is refused if it contains
 * the name of a quantity.
 */
export function findFloatsOnQuantities(tree: Tree): Violation[] {
  const violations: Violation[] = [];
  for (const { path, syntax } of tree.modules.values()) {
    if (!BIGINT_FOLDERS.test(path) || isTest(path)) continue;
    const exact = isExactFile(path);
    walk(syntax, (node) => {
      const what = exact ? doubleIn(node, path) : floatOf(node);
      if (!what) return;
      const says = `${what}: a quantity is a bigint of minor units, read from its source text.`;
      violations.push({ path, line: lineOf(node, syntax), says });
    });
  }
  return violations;
}

function floatOf(node: Node): string | undefined {
  if (isCallExpression(node) || isNewExpression(node)) return floatCall(node, node.expression);
  if (node.kind === SyntaxKind.PrefixUnaryExpression) {
    const { operator } = node as Node & { operator: SyntaxKind };
    const quantity = operator === SyntaxKind.PlusToken ? quantityIn(node) : undefined;
    return quantity && `applies unary + to ${quantity}`;
  }
  if (isBinaryExpression(node)) return floatArithmetic(node.operatorToken.kind, [node.left, node.right]);
  if (isAsExpression(node) || isTypeAssertion(node)) {
    const quantity = holdsNumber(node.type) ? quantityIn(node.expression) : undefined;
    return quantity && `casts ${quantity} to number`;
  }
  if (isTypeReferenceNode(node) || isMappedTypeNode(node)) {
    const quantity = holdsNumber(node) ? quantityNamedIn(node) : undefined;
    return quantity && `declares ${quantity} as number`;
  }
  return declaredAsNumber(node);
}

function floatCall(node: Node, callee: Node): string | undefined {
  const quantity = quantityIn(node);
  if (!quantity) return undefined;
  if (isIdentifier(callee) && FLOAT_CALLS.has(callee.text)) return `calls ${callee.text} on ${quantity}`;
  const { arguments: given = [] } = node as Node & { arguments?: readonly Node[] };
  const passed = given.find((each) => isIdentifier(each) && FLOAT_CALLS.has(each.text));
  if (passed) return `passes ${passed.getText()} over ${quantity}`; // prices.map(Number)
  if (!isPropertyAccessExpression(callee)) return undefined;
  const name = callee.name.text;
  const object = isIdentifier(callee.expression) ? callee.expression.text : "";
  const converts = object === "Math" || (object === "Number" && FLOAT_CALLS.has(name)) ||
    (object === "JSON" && name === "parse" && quantity !== SOURCE) || FLOAT_METHODS.has(name);
  return converts ? `calls ${object === "" ? "" : `${object}.`}${name} on ${quantity}` : undefined;
}

/**
 * A snake_case quantity is a JSON number of the API, so all arithmetic with it is refused. Any other quantity
 * is a bigint, so only arithmetic with a number literal is refused. A bigint literal such as 2n is allowed.
 */
function floatArithmetic(operator: SyntaxKind, operands: readonly Node[]): string | undefined {
  if (!ARITHMETIC.has(operator)) return undefined;
  const quantities = operands.map(nameOf).filter(isQuantity);
  const quantity = operands.some(isNumericLiteral) ? quantities[0] : quantities.find(isOfTheWire);
  return quantity && `calculates with ${quantity} as a double`;
}

/**
 * Finds declarations such as `amountHalalas: number`, `amountHalalas?: number | null` and
 * `amountHalalas = 0.5`.
 */
function declaredAsNumber(node: Node): string | undefined {
  const { name, type, initializer } = node as Node & { name?: Node; type?: Node; initializer?: Node };
  if (!name || !isIdentifier(name) || !isQuantity(name.text) || isOfTheWire(name.text)) return undefined;
  const starts = initializer && isNumericLiteral(initializer) && !isPropertyAssignment(node);
  return starts || (type && holdsNumber(type)) ? `declares ${name.text} as number` : undefined;
}

/**
 * True if `number` or `any` occurs in the type, except in the members of an object or the signature of a
 * function.
 */
function holdsNumber(type: Node): boolean {
  let found = type.kind === SyntaxKind.NumberKeyword || type.kind === SyntaxKind.AnyKeyword;
  if (isTypeLiteralNode(type) || isFunctionTypeNode(type)) return false;
  type.forEachChild((child) => {
    found ||= holdsNumber(child);
    return undefined;
  });
  return found;
}

/** Returns the name of the first quantity in a call or an operation, at any depth. */
function quantityIn(node: Node): string | undefined {
  const found = [nameOf(node)];
  walk(node, (child) => void (isIdentifier(child) && found.push(child.text)));
  return found.find((name) => isQuantity(name) || name === SOURCE);
}

/** Returns the name of a quantity that occurs as a type, as in `Record<"amountHalalas", number>`. */
function quantityNamedIn(type: Node): string | undefined {
  let found: string | undefined;
  walk(type, (child) => {
    if (child.kind !== SyntaxKind.StringLiteral) return;
    const { text } = child as Node & { text: string };
    if (isQuantity(text) && !isOfTheWire(text)) found ??= text;
  });
  return found;
}

/** Returns `amount` for `amount`, `order.amount` and `(amount)`, and "" for an expression without a name. */
function nameOf(node: Node): string {
  if (isIdentifier(node)) return node.text;
  if (isPropertyAccessExpression(node)) return node.name.text;
  const inner = node.kind === SyntaxKind.ParenthesizedExpression ||
    node.kind === SyntaxKind.NonNullExpression;
  return inner ? nameOf((node as Node & { expression: Node }).expression) : "";
}

function isOfTheWire(name: string): boolean {
  return /^[a-z0-9]+_[a-z0-9_]+$/.test(name);
}

function isQuantity(name: string): boolean {
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase().split("_");
  const last = words.findLast((word) => word !== "after") ?? "";
  return QUANTITY_WORDS.has(last.replace(/s$/, ""));
}
