import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { closingToday } from "../../testing/close_today.ts";
import type { Service } from "../process/service.ts";
import { sendRaw } from "../process/service_fixture.ts";
import { startDelivery } from "../process/delivery_service.ts";
import { eventOf, fund, pause, suiteDelivery } from "./webhook_fixture.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { valueOf } from "../../testing/rows.ts";

interface Kept {
  readonly items: { client_id: string; sequence: string }[];
}

describe("the role delivery over books that lack kept records", () => {
  const { service, receiver } = suiteDelivery({ deliver: false });
  const headsFile = join(temporaryFolder("gold-test"), "heads.json");
  const running: Service[] = [];
  const stop = async () => {
    for (const delivery of running.splice(0)) await delivery.stop();
  };
  afterEach(stop);

  const log: string[] = [];
  const start = async () => {
    const config = { ...service.config, headsFile };
    running.push(await startDelivery(config, (line) => log.push(line)));
  };
  const kept = async () => JSON.parse(await readFile(headsFile, "utf8")) as Kept;
  const ownOf = ({ items }: Kept) => items.find(({ client_id }) => client_id === service.partner.clientId);
  const links = () =>
    valueOf<number>(service.books.sql`
      select count(*)::int as links from gold.chain_link where client_id = ${service.partner.client}`);
  const posted = () =>
    valueOf<number>(service.books.sql`
      select event_sequence::int as last from gold.account where client_id = ${service.partner.client}`);
  const types = () => receiver.deliveries.map((one) => eventOf(one).type);
  const metrics = async () =>
    (await sendRaw(service.config.operationsListen, ["GET /metrics HTTP/1.1", "Host: localhost"])).body;

  it("sends no webhook, seals no event and closes no day while records are missing", async () => {
    await start();
    await fund(service);
    await receiver.awaitDeliveries(1);
    await until(async () => ownOf(await kept())?.sequence === "1");
    await stop();
    const whole = await kept();
    const later = structuredClone(whole);
    ownOf(later)!.sequence = "99";
    await writeFile(headsFile, JSON.stringify(later));
    receiver.deliveries.splice(0);

    await closingToday(service.books.sql, async () => {
      await fund(service);
      await start();
      await until(() => log.some((line) => line.includes("records are missing")), () => log);
      await pause(1500);
      assertStringIncludes(await metrics(), "gold_records_missing 1");
      assertEquals([types(), await links(), await posted(), await kept()], [[], 1, 2, later]);

      await writeFile(headsFile, JSON.stringify(whole));
      await receiver.awaitDeliveries(1);
      await until(async () => await links() === 2);
      assertStringIncludes(await metrics(), "gold_records_missing 0");
      // The next start closes the day that this process could not close.
      assertEquals(types().includes("day.closed"), false);
      await stop();
      await start();
      await until(() => types().includes("day.closed"), types);
    });
  });
});
