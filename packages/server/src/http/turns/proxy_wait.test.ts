import { describe, it } from "node:test";
import { assertEquals } from "../../../../../tools/testing/assert.ts";
import { createProxyWait } from "./proxy_wait.ts";

describe("createProxyWait()", () => {
  it("returns how much longer a request took than the fastest one, whatever the clocks say", () => {
    for (const skewMs of [-3_600_000, 0, 3_600_000]) {
      let clockMs = 1_000_000;
      const waitOf = createProxyWait(() => clockMs);
      const send = (tookMs: number) => waitOf(`${(clockMs += 1000) - tookMs + skewMs}`);
      assertEquals([5, 2, 2, 302, 12].map(send), [0, 0, 0, 300, 10]);
    }
  });

  it("follows a clock that drifts, or is set", () => {
    let clockMs = 1_000_000;
    const waitOf = createProxyWait(() => clockMs);
    for (let second = 0; second < 100; second++) {
      assertEquals(waitOf(`${(clockMs += 1000) - second}`) <= 60, true);
    }
    assertEquals(waitOf(`${clockMs - 60_000}`), 0);
  });

  it("returns 0 without the proxy's header", () => {
    const waitOf = createProxyWait(() => 1_000_000);
    assertEquals([undefined, "", "soon"].map((arrived) => waitOf(arrived)), [0, 0, 0]);
  });
});
