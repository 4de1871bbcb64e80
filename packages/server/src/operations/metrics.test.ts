import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { createMetrics } from "./metrics.ts";

describe("createMetrics()", () => {
  it("counts by labels", () => {
    const metrics = createMetrics();
    metrics.count("gold_requests_total", { route: "/v1/orders", status: "201" });
    metrics.count("gold_requests_total", { route: "/v1/orders", status: "201" }, 2);
    metrics.count("gold_requests_total", { route: "/v1/quotes", status: "201" });
    metrics.count("gold_unexpected_errors_total");
    assertEquals(
      metrics.text(),
      [
        "# HELP gold_requests_total Requests that were answered, by route and status.",
        "# TYPE gold_requests_total counter",
        'gold_requests_total{route="/v1/orders",status="201"} 3',
        'gold_requests_total{route="/v1/quotes",status="201"} 1',
        "# HELP gold_unexpected_errors_total Errors that the service does not know, each with a log line.",
        "# TYPE gold_unexpected_errors_total counter",
        "gold_unexpected_errors_total 1",
        "",
      ].join("\n"),
    );
  });

  it("reads a gauge when the text of the metrics is requested", () => {
    const metrics = createMetrics();
    let waiting = 1;
    metrics.gauge("gold_bookings_waiting", () => waiting);
    waiting = 7;
    assertStringIncludes(metrics.text(), "# TYPE gold_bookings_waiting gauge\ngold_bookings_waiting 7\n");
  });

  it("counts observations in cumulative buckets, and the last bucket counts all of them", () => {
    const metrics = createMetrics();
    for (const seconds of [0.001, 0.0011, 0.3, 60]) {
      metrics.observeSeconds("gold_request_seconds", seconds, { route: "/x" });
    }
    const value = (part: string) =>
      metrics.text().split("\n").find((line) => line.startsWith(`gold_request_seconds_${part}`))?.split(" ")
        .at(-1);
    assertEquals(value('bucket{route="/x",le="0.001"}'), "1");
    assertEquals(value('bucket{route="/x",le="0.0025"}'), "2");
    assertEquals(value('bucket{route="/x",le="0.25"}'), "2");
    assertEquals(value('bucket{route="/x",le="5"}'), "3");
    assertEquals(value('bucket{route="/x",le="+Inf"}'), "4");
    assertEquals(value('count{route="/x"}'), "4");
    assertEquals(Number(value('sum{route="/x"}')).toFixed(4), "60.3021");
  });

  it("escapes special characters in a label's value", () => {
    const metrics = createMetrics();
    metrics.count("gold_requests_total", { route: 'a"b\\c\nd' });
    assertStringIncludes(metrics.text(), 'gold_requests_total{route="a\\"b\\\\c\\nd"} 1');
  });
});
