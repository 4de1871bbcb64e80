import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  ENDPOINTS,
  isProblemCode,
  problemCodesOf,
  TOKEN_PROBLEM_REGISTRY,
  tokenErrorSchema,
  type TokenProblemCode,
} from "@gold-partner/protocol";
import { expectProblem } from "../trial/problem.ts";
import { AVAILABILITY_WAYS } from "./availability_ways_trial.ts";
import { BUSINESS_WAYS } from "./business_ways_trial.ts";
import { FORM_WAYS } from "./form_ways_trial.ts";
import { type House, startHouse } from "./house_trial.ts";
import { IDENTITY_WAYS } from "./identity_ways_trial.ts";
import { orderOf, type Scene, type Way } from "./way_trial.ts";

const WAYS: Readonly<Record<TokenProblemCode, Way>> = {
  ...FORM_WAYS,
  ...IDENTITY_WAYS,
  ...BUSINESS_WAYS,
  ...AVAILABILITY_WAYS,
};

const HASTY = { bodyMs: 300, upstreamMs: 1000 };
/** What only a reader of the source or of the database would know. */
const INTERNALS = /\bgold\.|relation|withdrawal_step|column|sqlstate|postgres|\.ts\b|\bat \//i;

describe("every code of the registry, over mutual TLS", () => {
  let scene: Scene;
  let house: House;
  before(async () => {
    house = await startHouse();
    const [other, poor] = [await house.onboard("Other Bank"), await house.onboard("Poor Bank")];
    const { partner } = house;
    await partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
    await other.succeed("fundSandbox", { body: { amount_sar: 100_000_000 } });
    await partner.succeed("createOrder", await orderOf(partner, "buy", 10));
    const hastyDoor = await house.openDoor(HASTY);
    const emptyDoor = await house.openDoor({}, house.running.state.socket("nobody.sock"));
    scene = { house, partner, other, poor, hastyDoor, emptyDoor };
  });
  after(() => house.stop());

  async function reach(ways: Partial<Record<TokenProblemCode, Way>>): Promise<void> {
    const faults: string[] = [];
    for (const [code, way] of Object.entries(ways) as [TokenProblemCode, Way][]) {
      await tryTwice(code, way, scene).catch((error: Error) => faults.push(`${code}: ${error.message}`));
    }
    assertEquals(faults, []);
  }

  it("is reached by what is wrong with a request's form", () => reach(FORM_WAYS));
  it("is reached by who calls", () => reach(IDENTITY_WAYS));
  it("is reached by what is asked for", () => reach(BUSINESS_WAYS));
  it("is reached by what cannot be done now", () => reach(AVAILABILITY_WAYS));
  it("has a way here", () => {
    assertEquals(Object.keys(WAYS).sort(), Object.keys(TOKEN_PROBLEM_REGISTRY).sort());
  });
});

/** Has it refused, then tries key and nonce again: what they do by then is what the registry says of the code. */
async function tryTwice(code: TokenProblemCode, { operation, stage }: Way, scene: Scene): Promise<void> {
  const { caller, call, fault, from = caller, mend } = await stage(scene);
  const { signature, idempotent } = ENDPOINTS[operation];
  const { binds_key, spends_nonce } = TOKEN_PROBLEM_REGISTRY[code];
  const sound = { key: randomUUID(), nonce: randomUUID(), ...call };
  const sent = { ...sound, ...fault };
  const refused = await from.call(operation, sent).finally(() => mend?.());
  const text = await refused.clone().text();
  await expectRefusal(code, refused);
  assert(problemCodesOf(ENDPOINTS[operation]).includes(code), `${operation} is not described with it`);

  const again = await caller.call(operation, { ...sound, nonce: randomUUID() });
  const answer = await again.text();
  if (idempotent && binds_key !== false) {
    assertEquals([again.status, again.headers.get("Idempotent-Replayed"), answer], [
      refused.status,
      "true",
      text,
    ]);
  } else assert(again.ok, `the key was bound, or the cause stays: ${answer}`);

  if (signature !== "required" || spends_nonce === "unknown") return;
  const third = await caller.call(operation, { ...sound, nonce: sent.nonce, key: randomUUID() });
  if (spends_nonce !== false) await expectProblem(third, "nonce_reused");
  else assert(third.ok, `the nonce was spent: ${await third.text()}`);
}

async function expectRefusal(code: TokenProblemCode, reply: Response): Promise<void> {
  const { headers } = reply;
  const { detail } = isProblemCode(code)
    ? await expectProblem(reply, code)
    : await expectTokenError(code, reply);
  assertMatch(detail, /^[A-Z][^]{15,}\.$/);
  assert(!INTERNALS.test(detail), detail);
  assertEquals(headers.get("Cache-Control"), "no-store");
  assertEquals(headers.has("Allow"), code === "method_not_allowed");
  const waits = ["idempotency_request_in_progress"].includes(code) || [429, 503].includes(reply.status);
  assertEquals(headers.has("Retry-After"), waits, `Retry-After: ${headers.get("Retry-After")}`);
}

async function expectTokenError(code: TokenProblemCode, reply: Response): Promise<{ detail: string }> {
  const body = tokenErrorSchema.strict().parse(await reply.json());
  const { status } = TOKEN_PROBLEM_REGISTRY[code];
  assertEquals([reply.status, reply.headers.get("Content-Type"), body.code], [
    status,
    "application/json",
    code,
  ]);
  assertEquals(reply.headers.has("WWW-Authenticate"), status === 401);
  assertEquals(body.request_id, reply.headers.get("X-Request-Id")!);
  return { detail: body.error_description };
}
