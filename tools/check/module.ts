import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isCallExpression,
  isExportAssignment,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isMetaProperty,
  isNamedExports,
  isNamedImports,
  isPropertyAccessExpression,
  isStringLiteral,
  isVariableStatement,
  SyntaxKind,
} from "typescript/unstable/ast";
import { lineOf, walk } from "./syntax.ts";

/**
 * `names` are the imported names, as the other module exports them; "*" stands for all of them. Only `import
 * type` is of kind "type". `import { type A } from "x"` is not: `verbatimModuleSyntax` keeps this import, and
 * the import loads x.
 */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly names: readonly string[];
  readonly kind: "value" | "type" | "dynamic";
}

interface Export {
  readonly name: string;
  readonly line: number;
}

/** The imports and exports of one file. `syntax` is for the checks that inspect its code. */
export interface Module {
  readonly path: string;
  readonly syntax: SourceFile;
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  /** The specifiers of `export * from "…"`. */
  readonly starsFrom: readonly string[];
}

export function moduleOf(path: string, syntax: SourceFile): Module {
  const imports: Import[] = [];
  const exports: Export[] = [];
  for (const statement of syntax.statements) {
    const line = lineOf(statement, syntax);
    const taken = staticImport(statement, line) ?? reExport(statement, line);
    if (taken) imports.push(taken);
    exports.push(...exportedNames(statement).map((name) => ({ name, line })));
  }
  walk(syntax, (node) => {
    const taken = importInside(node, lineOf(node, syntax));
    if (taken) imports.push(taken);
  });
  const starsFrom = syntax.statements.flatMap((node) =>
    isExportDeclaration(node) && !node.exportClause && node.moduleSpecifier
      ? [textOf(node.moduleSpecifier)]
      : []
  );
  return { path, syntax, imports, exports, starsFrom };
}

function staticImport(node: Node, line: number): Import | undefined {
  if (!isImportDeclaration(node)) return undefined;
  const clause = node.importClause;
  const specifier = textOf(node.moduleSpecifier);
  const named = clause?.namedBindings;
  const elements = named && isNamedImports(named) ? [...named.elements] : [];
  const names = [
    ...(clause?.name ? ["default"] : []),
    ...(named && !isNamedImports(named)
      ? ["*"]
      : elements.map((each) => textOf(each.propertyName ?? each.name))),
  ];
  return {
    specifier,
    line,
    names,
    kind: clause?.phaseModifier === SyntaxKind.TypeKeyword ? "type" : "value",
  };
}

function reExport(node: Node, line: number): Import | undefined {
  if (!isExportDeclaration(node) || !node.moduleSpecifier) return undefined;
  const clause = node.exportClause;
  const elements = clause && isNamedExports(clause) ? [...clause.elements] : [];
  const names = elements.length > 0 ? elements.map((each) => textOf(each.propertyName ?? each.name)) : ["*"];
  return { specifier: textOf(node.moduleSpecifier), line, names, kind: node.isTypeOnly ? "type" : "value" };
}

/**
 * Reads `import("…")` as a value or as a type. A computed specifier becomes an empty string.
 * `import.meta.resolve("…")` uses a package like a type does: it loads nothing.
 */
function importInside(node: Node, line: number): Import | undefined {
  if (isCallExpression(node)) {
    const { expression, arguments: [argument] } = node;
    const specifier = argument && isStringLiteral(argument) ? argument.text : "";
    if (expression.kind === SyntaxKind.ImportKeyword) {
      return { specifier, line, names: ["*"], kind: "dynamic" };
    }
    const names = isResolve(expression) && specifier !== "" && !specifier.startsWith(".");
    if (names) return { specifier, line, names: ["*"], kind: "type" };
  }
  if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) {
    return { specifier: textOf(node.argument.literal), line, names: ["*"], kind: "type" };
  }
  return undefined;
}

const isResolve = (node: Node): boolean =>
  isPropertyAccessExpression(node) && isMetaProperty(node.expression) && node.name.text === "resolve";

function exportedNames(node: Node): string[] {
  if (isExportAssignment(node)) return ["default"];
  if (isExportDeclaration(node)) {
    const clause = node.exportClause;
    if (!clause) return [];
    if (!isNamedExports(clause)) return [textOf(clause.name)];
    // Leave out re-exported types, because an entry point exports the types of the values that it exports,
    // even if no file imports those types today.
    const elements = node.moduleSpecifier
      ? clause.elements.filter((each) => !node.isTypeOnly && !each.isTypeOnly)
      : clause.elements;
    return elements.map((each) => textOf(each.name));
  }
  const { modifiers, name } = node as Node & { modifiers?: readonly Node[]; name?: Node };
  const has = (kind: SyntaxKind) => modifiers?.some((modifier) => modifier.kind === kind) ?? false;
  if (!has(SyntaxKind.ExportKeyword)) return [];
  if (has(SyntaxKind.DefaultKeyword)) return ["default"];
  if (isVariableStatement(node)) {
    return node.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  }
  return name ? [textOf(name)] : [];
}

/** Returns the names in `const { a, b: c } = …`: a and c. */
function boundNames(name: Node): string[] {
  if (isIdentifier(name)) return [name.text];
  const { elements } = name as Node & { elements: readonly (Node & { name?: Node })[] };
  return elements.flatMap((element) => element.name ? boundNames(element.name) : []);
}

function textOf(node: Node): string {
  return (node as Node & { text: string }).text;
}
