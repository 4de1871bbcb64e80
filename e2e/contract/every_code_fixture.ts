import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import {
  bindsKey,
  ENDPOINTS,
  isProblemCode,
  type OperationId,
  TOKEN_PROBLEM_REGISTRY,
  type TokenProblemCode,
} from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { expectProblem, moveDayEndAway } from "@gold-partner/server/testing";
import { AVAILABILITY_WAYS } from "./availability_ways_fixture.ts";
import { BUSINESS_WAYS } from "./business_ways_fixture.ts";
import type { Call } from "./caller_fixture.ts";
import { closeMarket, takePriceAway } from "./disturbances_fixture.ts";
import { ELSEWHERE_WAYS } from "./elsewhere_ways_fixture.ts";
import { Faults } from "./faults_fixture.ts";
import { FORM_WAYS } from "./form_ways_fixture.ts";
import type { Stack } from "./stack_fixture.ts";
import { IDENTITY_WAYS } from "./identity_ways_fixture.ts";
import { expectRefusal } from "./refusal_fixture.ts";
import { orderOf, QUOTE, type Setup, type Way, WITHDRAWAL } from "./way_fixture.ts";

const WAYS: Readonly<Record<TokenProblemCode, Way>> = {
  ...FORM_WAYS,
  ...IDENTITY_WAYS,
  ...BUSINESS_WAYS,
  ...AVAILABILITY_WAYS,
};

const STAGES_MAX = 5;

/** Tests every problem code, through the gateway or Envoy of this fixture. */
export function testEveryCode(open: () => Promise<Stack>): void {
  let setup: Setup;
  let stack: Stack;
  before(async () => {
    stack = await open();
    await moveDayEndAway(stack.sql);
    const [other, poor] = [await stack.onboard("Other Bank"), await stack.onboard("Poor Bank")];
    const { partner } = stack;
    await partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
    await other.succeed("fundSandbox", { body: { amount_sar: 100_000_000 } });
    await partner.succeed("createOrder", await orderOf(partner, "buy", 10));
    setup = {
      ...{ stack, partner, other, poor },
      proxyWithShortTimeouts: await stack.openProxyWithShortTimeouts(),
      proxyWithoutService: await stack.openProxyWithoutService(),
      proxyWithoutHealthCheck: await stack.openProxyWithoutHealthCheck(),
    };
  });
  after(() => stack.close());

  async function reach(ways: Iterable<readonly [string, Way]>): Promise<void> {
    const faults = new Faults();
    for (const [code, way] of ways) {
      await faults.note(`${way.operation}, ${code}`, () => tryTwice(code as TokenProblemCode, way, setup));
    }
    faults.expectNone();
  }

  it("is returned for a fault in a request's form", () => reach(Object.entries(FORM_WAYS)));
  it("is returned because of the caller's identity", () => reach(Object.entries(IDENTITY_WAYS)));
  it("is returned because of the requested business action", () => reach(Object.entries(BUSINESS_WAYS)));
  it("is returned for a request that cannot be served at the moment", () =>
    reach(Object.entries(AVAILABILITY_WAYS)));
  it("is returned at every other operation that documents it", () => reach(ELSEWHERE_WAYS));

  it("has a case here, and so does each refusal of every operation", () => {
    assertEquals(Object.keys(WAYS).sort(), Object.keys(TOKEN_PROBLEM_REGISTRY).sort());
    const ways = new Set(
      [...Object.entries(WAYS), ...ELSEWHERE_WAYS].map(([code, { operation }]) => `${operation} ${code}`),
    );
    const own = Object.entries(ENDPOINTS).flatMap(([operation, { refusals }]) =>
      refusals.map((code) => `${operation} ${code}`)
    );
    assertEquals(own.filter((one) => !ways.has(one)), []);
  });

  it("is idempotency_key_conflict if another operation uses the same key", async () => {
    const { partner } = setup;
    const key = randomUUID();
    await partner.succeed("fundSandbox", { body: { amount_sar: 1 }, key });
    const others = {
      createQuote: QUOTE,
      createOrder: await orderOf(partner, "buy", 1),
      createWithdrawal: WITHDRAWAL,
      testWebhook: {},
    };
    for (const [operation, call] of Object.entries(others) as [OperationId, Call][]) {
      await expectRefusal(
        "idempotency_key_conflict",
        operation,
        await partner.call(operation, { ...call, key }),
      );
    }
  });

  it("is not returned for an open quote's order while the market is closed or without a price", async () => {
    const { partner } = setup;
    const orders = [await orderOf(partner, "buy", 1), await orderOf(partner, "sell", 1)];
    const mends = [await closeMarket(stack), await takePriceAway(stack)];
    for (const order of orders) assertEquals((await partner.call("createOrder", order)).status, 201);
    for (const mend of mends) await mend();
  });
}

/**
 * Makes the service refuse the request, and then uses its idempotency key and its nonce again. The problem
 * registry defines for each code whether the key and the nonce still work.
 */
async function tryTwice(code: TokenProblemCode, way: Way, setup: Setup, stages = 1): Promise<void> {
  const { operation } = way;
  const { caller, call, fault, from = caller, mend } = await way.stage(setup);
  const { signature, idempotent } = ENDPOINTS[operation];
  const { spends_nonce } = TOKEN_PROBLEM_REGISTRY[code];
  const binds = isProblemCode(code) &&
    bindsKey(code, operation === "createOrder" ? "order_quote_id" : "other");
  const sound = { key: randomUUID(), nonce: randomUUID(), ...call };
  const sent = { ...sound, ...fault };
  const refused = await from.call(operation, sent).finally(() => mend?.());
  // Start again if the disturbance ended before the request arrived, which can happen on a slow machine.
  const faded = way.fades && refused.status !== TOKEN_PROBLEM_REGISTRY[code].status;
  if (faded && stages < STAGES_MAX) return await tryTwice(code, way, setup, stages + 1);
  const text = await refused.clone().text();
  await expectRefusal(code, operation, refused);

  const again = await caller.call(operation, { ...sound, nonce: randomUUID() });
  const answer = await again.text();
  if (idempotent && binds) {
    assertEquals([again.status, again.headers.get("Idempotent-Replayed"), answer], [
      refused.status,
      "true",
      text,
    ]);
  } else assert(again.ok, `the idempotency key was bound, or the cause of the refusal remains: ${answer}`);

  if (signature !== "required" || spends_nonce === "unknown") return;
  const third = await caller.call(operation, { ...sound, nonce: sent.nonce, key: randomUUID() });
  const spends = spends_nonce === "order_quote_id" ? operation === "createOrder" : spends_nonce;
  if (spends) await expectProblem(third, "nonce_reused");
  // A withdrawal is cancelled only once, so this call finds it cancelled.
  else if (operation === "cancelWithdrawal") await expectProblem(third, "withdrawal_not_pending");
  else assert(third.ok, `the nonce was spent: ${await third.text()}`);
}
