import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { before, describe, it } from "node:test";
import { canonicalRequest } from "@gold-partner/canonical";
import { importVerifyingKey, verifyDetached } from "@gold-partner/jws";
import { chainKeyReply, hostBytes } from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { suiteService } from "../../testing/service.ts";
import { type Account, openAccount } from "./fixture.ts";

const ORDER_BODY = (quote: string) => `{\n "quote_id" : "${quote}" }`;

describe("the signed request of a partner", () => {
  const service = suiteService();
  let account: Account;
  before(async () => {
    account = await openAccount(service);
    await service.books.sql`select gold.add_bar('A', 'Refiner', 'Riyadh', 10001, 9999)`;
    await account.fund(10_000);
  });

  const keptUnder = async (key: string) =>
    (await service.books.sql`
      select result_kind, request, signing_thumbprint from gold.idempotency_key
      where client_id = ${account.partner.client} and key = ${key}`)[0]!;

  /** Verifies the stored request with the partner's public key, and returns its parts. */
  async function proveKept(key: string): Promise<{ kind: string; target: string; body: string }> {
    const { result_kind, request, signing_thumbprint } = await keptUnder(key);
    const [method, target, timestamp, nonce, signature, ...rest] = Buffer.from(request).toString().split(
      "\n",
    );
    const body = rest.join("\n");
    const { publicJwk, thumbprint } = account.partner.signingKey;
    assertEquals(Buffer.from(signing_thumbprint).toString("base64url"), thumbprint);
    const canonical = canonicalRequest({
      method: method!,
      url: service.config.publicBaseUrl + target,
      bodySha256: hostBytes.sha256Hex(hostBytes.utf8(body)),
      timestamp: timestamp!,
      nonce: nonce!,
    });
    await verifyDetached(signature!, hostBytes.utf8(canonical), [await importVerifyingKey(publicJwk)]);
    return { kind: result_kind, target: target!, body };
  }

  const send = async (path: string, body: string, key: string): Promise<number> =>
    (await service.signed(path, body, { partner: account.partner, headers: { "Idempotency-Key": key } }))
      .status;

  it("is stored byte for byte with an order, a withdrawal and a binding refusal", async () => {
    const order = ORDER_BODY(await account.quote("buy", 0.5));
    assertEquals(await send("/v1/orders", order, "order"), 201);
    assertEquals(await proveKept("order"), { kind: "order", target: "/v1/orders", body: order });
    assertEquals(await send("/v1/orders", order, "again"), 409);
    assertEquals(await proveKept("again"), { kind: "refusal", target: "/v1/orders", body: order });
    const withdrawal = '{"amount_sar":1,"reference":"R-1"}';
    assertEquals(await send("/v1/withdrawals", withdrawal, "withdrawal"), 201);
    assertEquals(await proveKept("withdrawal"), {
      kind: "withdrawal",
      target: "/v1/withdrawals",
      body: withdrawal,
    });
    assertEquals(await service.books.defects(), []);
  });

  it("is not stored for a quote, which is not signed", async () => {
    await account.quote("buy", 0.5, "quote");
    const { request, signing_thumbprint } = await keptUnder("quote");
    assertEquals([request, signing_thumbprint], [null, null]);
  });

  it("is in a line of the hash chain that ends with a salt from the partner's own chain key", async () => {
    const { client_number, chain_key } = await account.read("/v1/chain-key", chainKeyReply);
    assertEquals(client_number, account.partner.client);
    const other = await openAccount(service);
    assert((await other.read("/v1/chain-key", chainKeyReply)).chain_key !== chain_key);
    const [{ line } = {}] = await service.books.sql`
      select line from gold.chain_lines(${client_number}, 0, 1)`;
    const salted = createHash("sha256").update(chain_key, "hex").update("0000000000000001", "hex").digest(
      "hex",
    );
    assertEquals(line.split("|").at(-1), salted.slice(0, 32));
  });
});
