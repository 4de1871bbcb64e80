import {
  CanonicalError,
  canonicalJson,
  type CanonicalValue,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  readJson,
} from "@gold-partner/canonical";
import { hostBytes } from "@gold-partner/protocol";

/** How a JSON library lays out its text. */
interface Layout {
  readonly comma: string;
  readonly colon: string;
  /** If not empty, each member is on its own line. */
  readonly indent: string;
}

const COMPACT: Layout = { comma: ",", colon: ":", indent: "" };
/** The layout of Python's json.dumps(). */
const SPACED: Layout = { comma: ", ", colon: ": ", indent: "" };
const indented = (spaces: number): Layout => ({ comma: ",", colon: ": ", indent: " ".repeat(spaces) });
const LAYOUTS: readonly Layout[] = [COMPACT, SPACED, indented(2), indented(4)];

/**
 * Longer bodies are not spelt again, because one request could then cause much work. Every body of this API
 * is far shorter.
 */
const RESPELT_MAX_BYTES = 8192;
const LINE_END = /\r?\n$/;
const BEYOND_ASCII = /[\u0080-\uffff]/g;

/**
 * Yields other texts of the same value, as common JSON libraries write them. The client may have signed one
 * of these texts.
 */
export function* spellBody(body: Uint8Array): Generator<Uint8Array> {
  if (body.length > RESPELT_MAX_BYTES) return;
  // Read one character for each byte, so that the body does not have to be valid UTF-8. Only a final line
  // break is changed.
  const bytes = String.fromCharCode(...body);
  const bare = bytes.replace(LINE_END, "");
  for (const end of ["", "\n", "\r\n"]) yield Uint8Array.from(bare + end, (char) => char.charCodeAt(0));
  for (const text of spellJson(body)) {
    yield hostBytes.utf8(text);
    yield hostBytes.utf8(`${text}\n`);
  }
}

function* spellJson(body: Uint8Array): Generator<string> {
  try {
    const value = readJson(body);
    for (const layout of LAYOUTS) {
      for (const sorted of [false, true]) {
        const text = write(value, layout, sorted);
        yield text;
        yield text.replace(BEYOND_ASCII, escape);
      }
    }
    // Reads and writes numbers as floats. That is safe here, because the texts are only hashed.
    const plain = JSON.parse(new TextDecoder().decode(body)) as CanonicalValue;
    yield JSON.stringify(plain);
    yield canonicalJson(plain);
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
  }
}

function write(value: JsonValue, layout: Layout, sorted: boolean, margin = ""): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.source;
  const inner = margin + layout.indent;
  const [open, close, items] = Array.isArray(value)
    ? ["[", "]", value.map((item: JsonValue) => write(item, layout, sorted, inner))]
    : [
      "{",
      "}",
      membersOf(value as JsonObject, sorted).map(([name, member]) =>
        JSON.stringify(name) + layout.colon + write(member, layout, sorted, inner)
      ),
    ];
  if (items.length === 0) return open + close;
  if (layout.indent === "") return open + items.join(layout.comma) + close;
  return `${open}\n${inner}${items.join(`${layout.comma}\n${inner}`)}\n${margin}${close}`;
}

function membersOf(object: JsonObject, sorted: boolean): [string, JsonValue][] {
  const members = Object.entries(object);
  return sorted ? members.sort(([left], [right]) => left < right ? -1 : 1) : members;
}

const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
