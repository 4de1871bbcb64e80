import { mkdtemp, rm } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { dealDoings, type Doing } from "./day.ts";
import { KeptIds } from "./kept_ids.ts";
import { Traffic } from "./traffic.ts";

function stall(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

let folder: string;
before(async () => folder = await mkdtemp(join(tmpdir(), "gold-test-")));
after(() => rm(folder, { recursive: true }));

/** Two partners for whom every action counts as an order and runs `act`. */
function trafficOf(act: (doing: Doing) => Promise<void>) {
  let orders = 0;
  const dayTrader = {
    open: async () => "stock",
    renewToken: async () => {},
    async do(doing: Doing) {
      await act(doing);
      return `order ${++orders}`;
    },
  };
  return new Traffic(new KeptIds(join(folder, "accepted")), () => [dayTrader, dayTrader]);
}

describe("Traffic", () => {
  it("measures an order's time from when it was due, including time lost in a stall", async () => {
    let isFirst = true;
    const traffic = trafficOf(async () => {
      if (isFirst) stall(300);
      isFirst = false;
    });
    traffic.start(100);
    await sleep(350);
    await traffic.stop();
    const { orderMs, due, done } = traffic.take();
    assertEquals(done, due);
    assert(orderMs.filter((ms) => ms >= 100).length >= 19, orderMs.join());
  });
  it("does not wait for slow actions, except at the end", async () => {
    let [underWay, most] = [0, 0];
    const traffic = trafficOf(async () => {
      most = Math.max(most, ++underWay);
      await sleep(200);
      underWay--;
    });
    traffic.start(100);
    await sleep(150);
    await traffic.stop();
    assertEquals(underWay, 0);
    assert(most > 2, `${most}`);
    assertEquals(traffic.take().done, traffic.accepted.count);
  });
  it("warms the service up with every kind of action", async () => {
    const seen = new Set<Doing>();
    const traffic = trafficOf(async (doing) => void seen.add(doing));
    await traffic.open();
    assertEquals(seen, new Set(dealDoings()));
  });
});

describe("dealDoings()", () => {
  it("deals 100 actions, of which any ten in a row contain five to nine orders", () => {
    const dealt = dealDoings();
    assertEquals(dealt.length, 100);
    for (let from = 0; from <= 90; from++) {
      const orders = dealt.slice(from, from + 10).filter((doing) => doing === "order").length;
      assert(orders >= 5 && orders <= 9, `${orders} from ${from}`);
    }
  });
});
