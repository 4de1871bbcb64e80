/** An element: its name, what is in it, its attributes. Text stands here as it is read; only writeXml() escapes. */
export type XmlElement = readonly [
  name: string,
  content: string | readonly XmlElement[],
  attributes?: Readonly<Record<string, string>>,
];

/** A UTF-8 document, an element a line, so that people and their tools can compare two of them. */
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
