import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { bookOrder, newUuid, nonceItem, orderItem, untilWaiting, wordOf } from "../fixture.ts";
import { type NonceItem, sendNonces } from "./spend_nonces.ts";

const WAITING = { wait: true, settle: false };
const SETTLING = { wait: true, settle: true };
const SKIPPING = { wait: false, settle: false };

describe("spend_nonces", () => {
  const books = suiteBooks();
  let client: number;
  before(async () => {
    client = await books.createClient();
  });

  const item = (nonce: string, of = client, admissionVersion = "1") =>
    nonceItem(of, { nonce, admissionVersion });
  async function spend(items: NonceItem[], sql = books.api, sending = WAITING): Promise<string[]> {
    return (await sendNonces(sql)(items, sending)).map(({ outcome }) => outcome);
  }

  it("accepts a nonce once per client", async () => {
    const nonce = newUuid();
    const other = await books.createClient();
    for (const  of of[client, other]) {
      assertEquals(await spend([item(nonce, of)]), ["answered"]);
      assertEquals(await spend([item(nonce, of)]), ["nonce_reused"]);
    }
  });

  it("answers a retry after a lost connection, and refuses another request with the same nonce", async () => {
    const lost = nonceItem(client);
    assertEquals(await spend([lost]), ["answered"]);
    assertEquals(await spend([lost, item(newUuid())], books.api, SETTLING), ["answered", "answered"]);
    await books.sql`update gold.account set admission_version = 2 where client_id = ${client}`;
    assertEquals(await spend([lost], books.api, SETTLING), ["answered"]);
    await books.sql`update gold.account set admission_version = 1 where client_id = ${client}`;
    const other = { ...lost, requestId: newUuid() };
    for (const sending of [SETTLING, WAITING]) {
      assertEquals(await spend([other], books.api, sending), ["nonce_reused"]);
    }
    const rows = await books.sql`select request_id from gold.nonce where nonce = ${lost.nonce}`;
    assertEquals(rows.map(({ request_id }) => request_id), [lost.requestId]);
  });

  it("accepts a nonce once within a batch, from the first item that is admitted", async () => {
    const [nonce, another, other] = [newUuid(), newUuid(), await books.createClient()];
    const batch = [item(nonce, client, "2"), item(nonce), item(another), item(nonce), item(nonce, other)];
    assertEquals(await spend(batch), [
      "admission_changed",
      "answered",
      "answered",
      "nonce_reused",
      "answered",
    ]);
  });

  it("refuses the nonce of an order, and an order refuses the nonce of a probe", async () => {
    const [probed, ordered] = [newUuid(), newUuid()];
    await spend([item(probed)]);
    assertEquals(
      wordOf(await bookOrder(books.api, orderItem(client, null, { nonce: probed }))),
      "nonce_reused",
    );
    await bookOrder(books.api, orderItem(client, null, { nonce: ordered }));
    assertEquals(await spend([item(ordered)]), ["nonce_reused"]);
  });

  it("spends nothing if the admission version is not the account's current one", async () => {
    const nonce = newUuid();
    assertEquals(await spend([item(nonce, client, "2")]), ["admission_changed"]);
    assertEquals(await spend([item(nonce)]), ["answered"]);
  });

  it("accepts each nonce in only one of many concurrent batches", async () => {
    const nonces = Array.from({ length: 50 }, newUuid);
    const pool = books.connect("gold_api", 12);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => spend(nonces.map((nonce) => item(nonce)), pool)),
    );
    for (const index of nonces.keys()) {
      const words = outcomes.map((batch) => batch[index]!).sort();
      assertEquals(words, ["answered", ...Array.from({ length: 11 }, () => "nonce_reused")]);
    }
  });

  it("waits for the lock of the client's account, so that it sees a concurrent revocation", async () => {
    const holder = await books.sql.reserve();
    const revoked = await books.createClient();
    await holder`begin`;
    await holder`update gold.account set admission_version = 2 where client_id = ${revoked}`;
    const waiting = spend([item(newUuid(), revoked)]);
    await untilWaiting(books.sql);
    await holder`commit`;
    holder.release();
    assertEquals(await waiting, ["admission_changed"]);
  });

  it("reports a locked client as busy, spends none of its nonces, and serves the other clients", async () => {
    const holder = await books.sql.reserve();
    const [held, nonces] = [await books.createClient(), [newUuid(), newUuid(), newUuid()]];
    const batch = nonces.map((nonce, n) => item(nonce, n === 1 ? client : held));
    await holder`begin`;
    await holder`select from gold.account where client_id = ${held} for no key update`;
    const impatient = books.connect("gold_api", 1);
    await impatient`set lock_timeout = '1s'`;
    assertEquals(await spend(batch, impatient, SKIPPING), ["busy", "answered", "busy"]);
    await holder`rollback`;
    holder.release();
    const again = batch.map((one) => ({ ...one, requestId: newUuid() }));
    assertEquals(await spend(again), ["answered", "nonce_reused", "answered"]);
  });

  it("does not deadlock if batches name the same clients in opposite orders", async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => books.createClient()));
    const pool = books.connect("gold_api", 8);
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, n) => {
      const order = n % 2 === 0 ? clients : clients.toReversed();
      return spend(order.map((of) => item(newUuid(), of)), pool);
    }));
    assertEquals(new Set(outcomes.flat()), new Set(["answered"]));
  });
});
