import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { createLog, type LogFields } from "./log.ts";

describe("createLog()", () => {
  const at = new Date("2026-01-31T09:30:00.000Z");

  it("writes one JSON object per line", () => {
    const lines: string[] = [];
    createLog((line) => lines.push(line), () => at)("info", "request", {
      status: 201,
      route: "/v1/orders\n",
    });
    assertEquals(lines, [
      '{"at":"2026-01-31T09:30:00.000Z","level":"info","event":"request","route":"/v1/orders\\n","status":201}',
    ]);
  });

  it("drops every member that is not on its list, even if the type checker missed it", () => {
    const lines: string[] = [];
    const smuggled = { code: "x", client_secret: "s", token: "t", message: "m", headers: {}, stack: "at" };
    createLog((line) => lines.push(line), () => at)("error", "failed", smuggled as LogFields);
    assertEquals(Object.keys(JSON.parse(lines[0]!) as object), ["at", "level", "event", "code"]);
  });
});
