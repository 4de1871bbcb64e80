import { after, before, describe, it } from "node:test";
import { type TestBooks, testBooks } from "@gold-partner/server/testing";
import { assertEquals, assertRejects } from "@std/assert";
import { syncTrust } from "../trust/trust_sync.ts";
import { isServed, startTestFront, type TestFront } from "./front_fixture.ts";
import { readPartnerAddresses } from "./partner_addresses.ts";
import { writeAddressMap } from "./runtime_api.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { until } from "../../../../tools/testing/until.ts";

describe("writeAddressMap()", () => {
  let front: TestFront;
  before(async () => void (front = await startTestFront({ CONNECTIONS_UNREGISTERED: "1" })));
  after(() => front.stop());

  it("replaces HAProxy's map only if the map differs, also with 1,000 ranges", async () => {
    const many = new Map(
      Array.from({ length: 1000 }, (_, n) => [`2001:db8:${n.toString(16)}::/48`, `prt_${n}`]),
    );
    assertEquals(await writeAddressMap(front.socket, many), true);
    assertEquals(await writeAddressMap(front.socket, many), false);
    many.set("2001:db8:1::/48", "prt_other");
    assertEquals(await writeAddressMap(front.socket, many), true);
    assertEquals(await writeAddressMap(front.socket, many), false);
    assertEquals(await writeAddressMap(front.socket, new Map()), true);
    await assertRejects(
      () => writeAddressMap(front.socket, new Map([["no address", "prt_1"]])),
      Error,
      "HAProxy refused",
    );
    assertEquals(await writeAddressMap(front.socket, new Map()), false);
  });

  it("does not count registered addresses in the limit of unregistered addresses", async () => {
    const from = (address: string) => isServed(front.envoy, { port: front.port, from: address });
    const held = await front.envoy.open({ port: front.port, localAddress: "127.0.0.7" } as object);
    assertEquals([await from("127.0.0.1"), await from("127.0.0.2")], [false, false]);
    await writeAddressMap(front.socket, new Map([["127.0.0.1/32", "prt_1"]]));
    assertEquals([await from("127.0.0.1"), await from("127.0.0.2")], [true, false]);
    held.destroy();
  });
});

describe("sidecar keep with HAProxy", () => {
  let books: TestBooks;
  let front: TestFront;
  const folder = temporaryFolder("gold-front");
  before(async () => {
    books = await testBooks();
    front = await startTestFront({ CONNECTIONS_UNREGISTERED: "1" });
  });
  after(async () => {
    await front.stop();
    await books.stop();
  });

  it("sends a partner's new address to HAProxy without a restart, and omits suspended partners", async () => {
    const url = new URL(books.url);
    url.searchParams.set("role", "gold_trust");
    const trust = books.connect("gold_trust", 1);
    const id = await books.createClient();
    const [partner] = await books.sql`select public_id from gold.partner where id = ${id}`;
    const change = async (statement: Promise<unknown>) => {
      await statement;
      await books.sql`update gold.registry_version set version = version + 1`;
    };
    const read = async () => (await readPartnerAddresses(trust)).addresses;
    await change(books.sql`delete from gold.allowed_ip where partner_id = ${id}`);
    const trustSync = syncTrust({
      databaseUrl: url.href,
      folder,
      frontSocket: front.socket,
      pollMs: 50,
      now: Date.now,
      write: () => {},
    });
    const held = await front.envoy.open({ port: front.port, localAddress: "127.0.0.7" } as object);
    const served = () => isServed(front.envoy, { port: front.port });
    assertEquals(await served(), false);
    await change(
      books.sql`insert into gold.allowed_ip (partner_id, range) values (${id}, '127.0.0.1')`,
    );
    assertEquals((await read()).get("127.0.0.1/32"), partner!.public_id);
    await until(served);
    await change(
      books.sql`update gold.partner set suspended_at = clock_timestamp() where id = ${id}`,
    );
    assertEquals((await read()).has("127.0.0.1/32"), false);
    await until(async () => !await served());
    held.destroy();
    await trustSync.stop();
  });
});
