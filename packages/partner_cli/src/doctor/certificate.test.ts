import { describe, it } from "node:test";
import { createTestAuthority, testReceiver } from "@gold-partner/server/testing";
import { assertEquals, assertMatch } from "@std/assert";
import { examineServiceDates } from "./certificate.ts";

const DAY_MS = 86_400_000;

describe("examineServiceDates()", () => {
  it("names the clock and the dates if the clock is before or after them, and nothing otherwise", async () => {
    const service = await testReceiver({ certificate: createTestAuthority().issue(["localhost"]) });
    const url = new URL(`https://localhost:${service.port}`);
    try {
      for (const days of [-400, 400]) {
        const nowMs = Date.now() + days * DAY_MS;
        const { message, cure, exit } = (await examineServiceDates(url, nowMs))!;
        assertMatch(message, /^the certificate of https:\/\/localhost:\d+ is valid from 2\S+Z to 2\S+Z, but/);
        assertMatch(message, new RegExp(`clock says ${new Date(nowMs).toISOString()}\\.$`));
        assertMatch(cure, /^Set this machine's clock/);
        assertEquals(exit, 2);
      }
      assertEquals(await examineServiceDates(url, Date.now()), undefined);
    } finally {
      await service.stop();
    }
    assertEquals(await examineServiceDates(url, 0), undefined);
  });
});
