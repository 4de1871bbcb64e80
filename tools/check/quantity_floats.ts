import type { Node } from "typescript/unstable/ast";
import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  SyntaxKind,
} from "typescript/unstable/ast";
import type { Module } from "./module.ts";
import type { Offence } from "./offence.ts";
import { lineOf, walk } from "./syntax.ts";
import { isTest, type Tree } from "./tree.ts";

/** Where money and gold are bigint from end to end. */
const EXACT = /^packages\/(protocol|server|client|operator)\/src\//;

/** The last word of a quantity's name: `amountHalalas`, `pricePips`, `amount_sar`, `balance_after`. */
const QUANTITY_WORDS = new Set([
  ...["halala", "microhalala", "sar", "gram", "milligram", "pip"],
  ...["price", "amount", "balance"],
]);
/** The text of a number as it came. */
const SOURCE = "source";

const FLOAT_CALLS = new Set(["Number", "parseFloat", "parseInt"]);
const FLOAT_METHODS = new Set(["toFixed", "toPrecision", "toExponential"]);

/**
 * TypeScript refuses to mix bigint with number; what is left are the doors from one to the other. Each is closed
 * for a value whose name is a quantity's, and so is a quantity that is declared as a number.
 */
export function findFloatsOnQuantities(tree: Tree): Offence[] {
  return [...tree.modules.values()]
    .filter(({ path }) => EXACT.test(path) && !isTest(path))
    .flatMap(judgeModule);
}

function judgeModule({ path, syntax }: Module): Offence[] {
  const offences: Offence[] = [];
  walk(syntax, (node) => {
    const what = floatOf(node);
    if (what) {
      const says = `${what}: a quantity is a bigint of minor units, read from its source text.`;
      offences.push({ path, line: lineOf(node, syntax), says });
    }
  });
  return offences;
}

function floatOf(node: Node): string | undefined {
  if (isCallExpression(node)) {
    const quantity = quantityIn(node);
    const callee = node.expression;
    if (!quantity) return undefined;
    if (isIdentifier(callee) && FLOAT_CALLS.has(callee.text)) return `calls ${callee.text} on ${quantity}`;
    const passed = node.arguments.find((each) => isIdentifier(each) && FLOAT_CALLS.has(each.text));
    if (passed) return `passes ${passed.getText()} over ${quantity}`; // prices.map(Number)
    if (!isPropertyAccessExpression(callee)) return undefined;
    const name = callee.name.text;
    const object = isIdentifier(callee.expression) ? callee.expression.text : "";
    const converts = object === "Math" || (object === "Number" && FLOAT_CALLS.has(name)) ||
      FLOAT_METHODS.has(name);
    return converts ? `calls ${object === "" ? "" : `${object}.`}${name} on ${quantity}` : undefined;
  }
  if (node.kind === SyntaxKind.PrefixUnaryExpression) {
    const { operator } = node as Node & { operator: SyntaxKind };
    const quantity = operator === SyntaxKind.PlusToken ? quantityIn(node) : undefined;
    return quantity && `applies unary + to ${quantity}`;
  }
  return declaredAsNumber(node);
}

/** `amountHalalas: number`; snake_case members are the wire's, where a quantity is a JSON number. */
function declaredAsNumber(node: Node): string | undefined {
  const { name, type } = node as Node & { name?: Node; type?: Node };
  if (!name || type?.kind !== SyntaxKind.NumberKeyword || !isIdentifier(name)) return undefined;
  return isQuantity(name.text) && !name.text.includes("_") ? `declares ${name.text} as number` : undefined;
}

/** The first quantity that a call or an operator is given, at any depth. */
function quantityIn(node: Node): string | undefined {
  let found: string | undefined;
  walk(node, (child) => {
    if (isIdentifier(child) && (isQuantity(child.text) || child.text === SOURCE)) found ??= child.text;
  });
  return found;
}

function isQuantity(name: string): boolean {
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase().split("_");
  const last = words.findLast((word) => word !== "after") ?? "";
  return QUANTITY_WORDS.has(last.replace(/s$/, ""));
}
