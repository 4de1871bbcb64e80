import { type TrialBooks, trialBooks } from "@gold-partner/dev";
import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "node:test";
import { bookOrder, newUuid, orderItem, untilWaiting, wordOf } from "../trial.ts";
import { nonceUuid } from "./nonce_uuid.ts";
import { sendNonce } from "./spend_nonce.ts";

describe("spend_nonce", () => {
  let books: TrialBooks;
  let client: number;
  before(async () => {
    books = await trialBooks();
    client = await books.createClient();
  });
  after(() => books.stop());

  async function spend(nonce: string, of = client, admissionVersion = "1", sql = books.api): Promise<string> {
    const [outcome] = await sendNonce(sql)([{ client: of, admissionVersion, nonce }], {
      wait: true,
      settle: false,
    });
    return outcome!.outcome;
  }

  it("takes a nonce once, from each client", async () => {
    const nonce = newUuid();
    assertEquals([await spend(nonce), await spend(nonce)], ["answered", "nonce_reused"]);
    const other = await books.createClient();
    assertEquals([await spend(nonce, other), await spend(nonce, other)], ["answered", "nonce_reused"]);
  });

  it("shares the nonces with the orders", async () => {
    const [probed, ordered] = [newUuid(), newUuid()];
    await spend(probed);
    assertEquals(
      wordOf(await bookOrder(books.api, orderItem(client, null, { nonce: probed }))),
      "nonce_reused",
    );
    await bookOrder(books.api, orderItem(client, null, { nonce: ordered }));
    assertEquals(await spend(ordered), "nonce_reused");
  });

  it("spends nothing under an admission that has changed", async () => {
    const nonce = newUuid();
    assertEquals(await spend(nonce, client, "2"), "admission_changed");
    assertEquals(await spend(nonce), "answered");
  });

  it("gives a nonce to one of many at once", async () => {
    const nonce = newUuid();
    const pool = books.connect("gold_api", 12);
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => spend(nonce, client, "1", pool)));
    assertEquals(outcomes.filter((outcome) => outcome === "answered").length, 1);
  });

  it("waits for the client's account, so that a revocation under way is seen", async () => {
    const holder = await books.sql.reserve();
    await holder`begin`;
    await holder`update gold.account set admission_version = 2 where client_id = ${client}`;
    const waiting = spend(newUuid());
    await untilWaiting(books.sql);
    await holder`commit`;
    holder.release();
    assertEquals(await waiting, "admission_changed");
  });
});

describe("nonceUuid()", () => {
  it("is the first half of the nonce's SHA-256", () => {
    // The example of FIPS 180-4.
    assertEquals(nonceUuid("abc"), "ba7816bf-8f01-cfea-4141-40de5dae2223");
  });
});
