import { after, before, describe, it } from "node:test";
import { parseWebhookSecret } from "@gold-partner/protocol";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const URL = "https://bank.example/trades";

describe("gold endpoint", () => {
  let operator: TestOperator;
  let id: string;
  before(async () => {
    operator = await testOperator();
    id = operator.service.partner.clientId;
  });
  after(() => operator.stop());

  const listed = async () =>
    itemsOf(await operator.done("endpoint", "list", id)).map(({ endpoint, url, types }) => [
      endpoint,
      url,
      types,
    ]);

  it("add shows the secret of the new endpoint once, and list its types", async () => {
    const [[, first]] = await listed() as [[number, string]];
    const made = await operator.done("endpoint", "add", id, "--url", URL, "--type", "order.executed");
    assertEquals([made.client_id, made.endpoint, made.url], [id, 2, URL]);
    parseWebhookSecret(made.webhook_secret as string);
    assertEquals(await listed(), [[1, first, "all"], [2, URL, "order.executed"]]);
    const shown = await operator.gold("partner", "show", id);
    assertStringIncludes(shown.out, URL);
  });

  it("set replaces the types, and webhook-secret rotate makes a secret for this endpoint alone", async () => {
    await operator.done("endpoint", "set", id, "2", "--type", "day.closed", "--type", "order.executed");
    assertEquals((await listed())[1], [2, URL, "day.closed, order.executed"]);
    await operator.done("endpoint", "set", id, "2", "--all-types", "--url", `${URL}/2`);
    assertEquals((await listed())[1], [2, `${URL}/2`, "all"]);
    await operator.done("webhook-secret", "rotate", id, "--endpoint", "2", "--overlap", "1h");
    const secrets = itemsOf(await operator.done("webhook-secret", "list", id));
    assertEquals(secrets.map(({ endpoint, status }) => [endpoint, status]), [
      [1, "active"],
      [2, "retiring"],
      [2, "active"],
    ]);
  });

  it("event show lists the delivery to each of them", async () => {
    const [event] = itemsOf(await operator.done("event", "list", id, "--endpoint", "2"));
    const shown = await operator.done("event", "show", `${event!.event_id}`);
    assertEquals([shown.client_id, shown.event_id], [id, event!.event_id]);
    const deliveries = itemsOf({ items: shown.deliveries });
    assertEquals(deliveries.map(({ endpoint, status }) => `${endpoint} ${status}`), [
      "1 pending",
      "2 pending",
    ]);
    const unknown = `evt_${crypto.randomUUID()}`;
    refused(await operator.gold("event", "show", unknown), 1, `There is no event ${unknown}.`);
  });

  it("remove ends an endpoint, and event list no longer knows it", async () => {
    const events = itemsOf(await operator.done("event", "list", id, "--endpoint", "2"));
    assertEquals([events.length, events.at(-1)!.type], [6, "webhook_endpoint.changed"]);
    await operator.done("endpoint", "remove", id, "2");
    assertEquals((await listed()).length, 1);
    refused(await operator.gold("event", "list", id, "--endpoint", "2"), 1, "has no webhook endpoint 2");
    refused(
      await operator.gold("endpoint", "remove", id, "1", "--yes"),
      1,
      "first webhook endpoint cannot be removed",
    );
  });

  it("refuses what it cannot send to, and what changes nothing", async () => {
    refused(await operator.gold("endpoint", "add", id, "--url", "http://bank.example/"), 2, "--url");
    refused(await operator.gold("endpoint", "add", id), 2, "--url is missing");
    refused(
      await operator.gold("endpoint", "add", id, "--url", URL, "--type", "order.made"),
      1,
      "order.made",
    );
    refused(await operator.gold("endpoint", "set", id, "1"), 2, "nothing to set");
    refused(
      await operator.gold("endpoint", "set", id, "1", "--type", "day.closed", "--all-types"),
      2,
      "either",
    );
    refused(await operator.gold("endpoint", "list", "sbx_none"), 1, "no partner sbx_none");
  });
});
