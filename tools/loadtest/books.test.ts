import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkOrders } from "./books.ts";

const inboxOf = (orders: number, refused = 0) => ({ orders, refused });
const judge = (accepted: number, executed: number, cutOff: boolean) =>
  checkOrders({ accepted, cutOff }, { executed, delivered: executed }, inboxOf(executed));

describe("checkOrders()", () => {
  it("requires as many executed orders as accepted orders", () => {
    assertEquals([judge(5, 5, false), judge(5, 6, false), judge(5, 4, false)].map(({ met }) => met), [
      true,
      false,
      false,
    ]);
    assertEquals(
      checkOrders({ accepted: 5, cutOff: false }, { executed: 5, delivered: 0 }, undefined).met,
      true,
    );
  });

  it("accepts more executed than accepted orders if the run was ended early, but not fewer", () => {
    assertEquals([judge(5, 6, true), judge(5, 4, true)].map(({ met }) => met), [true, false]);
    assertStringIncludes(judge(5, 6, true).says, "in flight");
  });

  it("requires the books to show each event as delivered, each to arrive, and no wrong signature", () => {
    const load = { accepted: 5, cutOff: false };
    const missed = [
      checkOrders(load, { executed: 5, delivered: 4 }, inboxOf(5)),
      checkOrders(load, { executed: 5, delivered: 5 }, inboxOf(4)),
      checkOrders(load, { executed: 5, delivered: 5 }, inboxOf(5, 1)),
    ];
    assertEquals(missed.map(({ met }) => met), [false, false, false]);
  });
});
