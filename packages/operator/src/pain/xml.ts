/**
 * An XML element: its name, its content and its attributes. Text here is not escaped;
 * only writeXml() escapes it.
 */
export type XmlElement = readonly [
  name: string,
  content: string | readonly XmlElement[],
  attributes?: Readonly<Record<string, string>>,
];

/** Writes a UTF-8 document with one element a line, so that people and tools can compare two documents. */
export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(root, "")}`;
}

function writeElement([name, content, attributes = {}]: XmlElement, indent: string): string {
  const names = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(value)}"`);
  const start = `${indent}<${name}${names.join("")}>`;
  if (typeof content === "string") return `${start}${escapeText(content)}</${name}>\n`;
  const inner = content.map((child) => writeElement(child, `${indent}  `)).join("");
  return `${start}\n${inner}${indent}</${name}>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
