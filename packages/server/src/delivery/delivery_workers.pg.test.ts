import { dirname, join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { TestPartner } from "../../testing/partner.ts";
import { testReceiver } from "../../testing/receiver.ts";
import type { DeliveryConfig } from "../settings/config.ts";
import { startDelivery } from "../process/delivery_service.ts";
import type { Service } from "../process/service.ts";
import {
  eventOf,
  fund,
  fundAtOnce,
  lastBeat,
  pause,
  sequencesOf,
  stateOf,
  untilNotified,
  untilState,
} from "./webhook_fixture.ts";
import { until } from "../../../../tools/testing/until.ts";
import { setUp } from "../../testing/set_up.ts";
import { suiteService } from "../../testing/service.ts";

describe("delivery processes", () => {
  const [receiver, service] = [setUp(testReceiver), suiteService()];
  const running: Service[] = [];
  let started = 0;
  afterEach(async () => {
    receiver.answer(204);
    await Promise.all(running.splice(0).map((one) => one.stop()));
    receiver.deliveries.splice(0);
  });

  const start = async (changes: Partial<DeliveryConfig> = {}, log: string[] = []) => {
    const { listen } = service.config;
    const folder = dirname(listen.kind === "unix" ? listen.path : "");
    const operationsListen = {
      kind: "unix",
      path: join(folder, `operations_${++started}.sock`),
    } as const;
    const delivery = await startDelivery(
      { ...service.config, operationsListen, ...changes },
      (line) => log.push(line),
    );
    running.push(delivery);
    return delivery;
  };
  const untilPassed = (partner: TestPartner, sequence: number) =>
    untilState(service, ({ passed }) => passed === sequence, partner);
  const onboard = (url = receiver.url) => service.addPartner({ webhook: url });
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
  const inOrder = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);

  it("share the work, and send no event twice while all processes run", async () => {
    const partners = await Promise.all(Array.from({ length: 6 }, () => onboard()));
    await Promise.all([start(), start(), start()]);
    await Promise.all(partners.map((partner) => fund(service, 15, partner)));
    await receiver.awaitDeliveries(90);
    for (const partner of partners) await untilPassed(partner, 15);
    const ids = receiver.deliveries.map(({ id }) => id);
    assertEquals([ids.length, new Set(ids).size], [90, 90]);
  });

  it("finish their in-flight attempts when they stop, and then release their endpoints", async () => {
    const partner = await onboard();
    const first = await start();
    receiver.answer({ status: 204, delayMs: 600 });
    await fund(service, 20, partner);
    await receiver.awaitDeliveries(4);
    await first.stop();
    const { passed, worker } = await stateOf(service, partner);
    assertEquals([passed, worker], [receiver.deliveries.length, null]);
    assertEquals((await service.books.sql`select from gold.delivery_worker`).length, 0);
    receiver.answer(204);
    await start();
    await untilPassed(partner, 20);
    assertEquals(inOrder(sequencesOf(receiver.deliveries)), upTo(20));
  });

  it("continue and lose no event after every database connection is cut", async () => {
    const partner = await onboard();
    const log: string[] = [];
    await start({}, log);
    receiver.answer({ status: 204, delayMs: 5 });
    await fund(service, 5, partner);
    for (let n = 0; n < 4; n++) {
      await service.books.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'gold-partner-%' and pid <> pg_backend_pid()`;
      await pause(100);
      await fund(service, 5, partner);
    }
    await untilPassed(partner, 25);
    assertEquals([...new Set(inOrder(sequencesOf(receiver.deliveries)))], upTo(25));
    // Wait for two more heartbeats. Each heartbeat first repeats LISTEN, so the worker then listens again.
    for (let beats = 0; beats < 2; beats++) {
      const before = await lastBeat(service);
      await until(async () => await lastBeat(service) > before);
    }
    await untilNotified(service, async () => {
      const count = receiver.deliveries.length;
      await fund(service, 1, partner);
      await receiver.awaitDeliveries(count + 1);
    });
    // Leave out the work that comes at intervals. It logs a lost connection, and its next round does the work.
    const repeated =
      /"event":"(registry not read|writes are refused|expiry notices not posted|partitions of attempts not kept)"/;
    const errors = log.filter((line) => line.includes("error") && !repeated.test(line));
    assertEquals(errors, []);
  });

  it("delay no other partner when one receiver hangs or one secret cannot be decrypted", async () => {
    const hanging = await testReceiver();
    hanging.answer("hang");
    const [well, ill, shut] = [await onboard(), await onboard(hanging.url), await onboard()];
    await service.books
      .sql`update gold.webhook_secret set sealing_key = 'lost' where partner_id = ${shut.client}`;
    const log: string[] = [];
    await start({}, log);
    await Promise.all([fund(service, 10, ill), fund(service, 3, shut)]);
    await hanging.awaitDeliveries(4);
    await fundAtOnce(service, 30, well);
    await untilPassed(well, 30);
    // All this happened while the first attempts at the hanging receiver were in flight. They end after 15 s.
    assertEquals([(await stateOf(service, ill)).failures, hanging.deliveries.length], [0, 4]);
    assertEquals(receiver.deliveries.length, 30);
    // Two heartbeats later, the secret that cannot be decrypted is still logged only once.
    await pause(2200);
    const logged = log.filter((line) => line.includes("webhook secret not opened"));
    assertEquals(logged.length, 1);
    assert(logged[0]!.includes(shut.clientId) && logged[0]!.includes('"sealing_key":"lost"'));
    assertEquals((await stateOf(service, shut)).failures, 0);
    await hanging.stop();
    // Wait for four failures or more. A closed connection counts as a failure, too.
    await untilState(service, ({ failures }) => failures >= 4, ill);
  });

  it("send to a changed URL at once, including events that the old URL refused", async () => {
    const moved = await testReceiver();
    const partner = await onboard();
    receiver.answer(410);
    await start();
    await fund(service, 1, partner);
    await untilState(service, ({ disabled }) => disabled, partner);
    await fund(service, 2, partner);
    await service.books.sql`
      select gold.set_partner(${partner.clientId}, null, null, ${moved.url}, null, null, null)`;
    // Three fundings, and the event of the new URL.
    const deliveries = await moved.awaitDeliveries(4);
    assertEquals(inOrder(deliveries.map((one) => eventOf(one).sequence)), upTo(4));
    await moved.stop();
  });
});
