import { it } from "node:test";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { suspend } from "../contract/disturbances_fixture.ts";
import type { Stack } from "../contract/stack_fixture.ts";
import { ClientError } from "./client_program_fixture.ts";
import type { Survival, TestedClient } from "./survival_fixture.ts";

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
const openings = (client: TestedClient, operation: string) =>
  client.outcomesOf(operation).filter((outcome) => outcome === "200").length;

/** Tests the streams of the client of one language. Its call of a stream returns the first `take` items. */
export function testStreams(stack: () => Stack, { open, openRelay }: Survival<TestedClient>): void {
  const opened = async (client: TestedClient, operation: string, count: number) => {
    while (openings(client, operation) < count) await soon();
  };
  const newestSequence = async () =>
    (await stack().partner.succeed("testWebhook", { body: {} })).sequence as number;

  it("streams that there is no fresh price, and then a price with exact amounts", async () => {
    const client = await open();
    await client.call("simulate_market", { state: "price_stale" });
    const streamed = client.call("stream_prices", { take: 2 });
    await opened(client, "streamPrices", 1);
    // When a later stream has its first item, the service has also sent that of the earlier one.
    assertEquals(await client.call("stream_prices", { take: 1 }), [null]);
    await client.call("reset_simulations");
    const [first, { buy_price, sell_price, as_of, ...others }] = await streamed;
    const { buy_price: _, sell_price: __, as_of: ___, ...same } = await client.call("get_prices");
    assertEquals([first, others], [null, same]);
    for (const price of [buy_price, sell_price]) assertMatch(price, /^\d+(\.\d+)?$/);
    assertMatch(as_of, /Z$/);
  });

  it("streams each event once, although two connections are reset, one of them within an event", async () => {
    const after = await newestSequence();
    const relay = await openRelay();
    const client = await open({ port: relay.port });
    const streamed = client.call("stream_events", { after, take: 3 });
    for (const [index, cutAfterBytes] of [0, 150].entries()) {
      await opened(client, "streamEvents", index + 1);
      relay.cutReply(cutAfterBytes);
      await newestSequence();
      while (relay.cuts === index) await soon();
    }
    await newestSequence();
    const sequences = (await streamed).map(({ sequence }: { sequence: number }) => sequence - after);
    assertEquals(sequences, [1, 2, 3]);
    assertEquals(openings(client, "streamEvents"), 3);
  });

  it("keeps a stream through an outage in which a call gives up, and misses no event", async () => {
    const after = await newestSequence();
    const relay = await openRelay();
    const { port } = relay;
    const client = await open({ port, tries_max: 2 });
    const [events, prices] = [
      client.call("stream_events", { after, take: 2 }),
      client.call("stream_prices", { take: 10_000 }),
    ];
    prices.catch(() => {});
    await opened(client, "streamEvents", 1);
    await opened(client, "streamPrices", 1);
    await relay.close();
    await Promise.all([newestSequence(), newestSequence()]);
    const failures = () =>
      ["streamEvents", "streamPrices"].map((operation) =>
        client.outcomesOf(operation).filter((outcome) => outcome === "connection_failed").length
      );
    while (Math.min(...failures()) < 4) await Promise.race([soon(), events, prices]);
    await relay.mend(port);
    const sequences = (await events).map(({ sequence }: { sequence: number }) => sequence - after);
    assertEquals(sequences, [1, 2]);
    await Promise.race([opened(client, "streamPrices", 2), prices]);
    client.kill();
  });

  it("ends a stream with an error when the partner is suspended", async () => {
    const client = await open();
    const streamed = client.call("stream_events", { after: await newestSequence(), take: 1 });
    await opened(client, "streamEvents", 1);
    const [error, mend] = await Promise.all([
      assertRejects(() => streamed, ClientError),
      suspend(stack(), stack().partner),
    ]);
    await mend();
    assertEquals([error.code, error.retryable], ["partner_suspended", false]);
    assertEquals(client.outcomesOf("streamEvents"), ["200", "partner_suspended"]);
  });
}
