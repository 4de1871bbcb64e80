import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { testPostgres } from "@gold-partner/dev/postgres";
import { assert, assertEquals } from "@std/assert";
import type { TestPartner } from "../../../testing/partner.ts";
import { until } from "../../../../../tools/testing/until.ts";
import { oddRequests } from "../../../testing/wire/odd_requests.ts";
import { brokenRequests, write } from "../../../testing/wire/broken_requests.ts";
import { type RuntimeService, startRuntime } from "./runtime_fixture.ts";
import { verdictsOf } from "../../../testing/wire/send_bytes.ts";

const VARIANTS = 2_000;
const AT_ONCE = 16;
/**
 * How many variants use one partner's certificate. A certificate may have 100 failed authentications at once,
 * and above that limit replies depend on timing. So this number is lower.
 */
const VARIANTS_A_PARTNER = 80;
/**
 * How long to wait for an answer. It is short, because many mutated requests are incomplete and never get
 * one.
 */
const SHORT_TIMEOUTS = { silenceMs: 1_500, quietMs: 150 };
const LONG_TIMEOUTS = { silenceMs: 10_000, quietMs: 5_000 };

describe("the service on Node and on Deno", () => {
  const services: RuntimeService[] = [];
  let stopPostgres: () => Promise<void>;
  before(async () => {
    const server = await testPostgres();
    stopPostgres = () => server.stop();
    for (const runtime of ["node", "deno"] as const) services.push(await startRuntime(runtime, server));
  });
  after(async () => {
    for (const service of services) await service.stop();
    await stopPostgres();
  });

  /** Makes the same texts for both services, each with the credentials of its own partner. */
  const textsFor = <T>(
    make: (client: Parameters<typeof oddRequests>[0]) => T,
    partnerOf = async ({ fixture }: RuntimeService) => fixture.partner,
  ) =>
    Promise.all(services.map(async (service) => {
      const partner = await partnerOf(service);
      const { clientId, clientSecret } = partner;
      return make({
        identity: identityOf(partner),
        clientId,
        clientSecret,
        token: await service.fixture.token(partner),
      });
    }));

  /** Adds a partner, and returns once the service's process accepts its certificate. */
  async function onboard({ fixture, send }: RuntimeService): Promise<TestPartner> {
    const partner = await fixture.addPartner();
    const health = write({ identity: identityOf(partner) }, "GET /health HTTP/1.1");
    await until(async () => (await send(health, SHORT_TIMEOUTS)).startsWith("HTTP/1.1 200"));
    return partner;
  }

  /**
   * Sends each service its own text and compares the replies. Differing replies get a second try with longer
   * limits.
   */
  async function compare(texts: readonly string[]): Promise<{ same: boolean; node: string; deno: string }> {
    for (const timeouts of [SHORT_TIMEOUTS, LONG_TIMEOUTS]) {
      const replies = await Promise.all(services.map(({ send }, n) => send(texts[n]!, timeouts)));
      const [node = "", deno = ""] = replies.map(comparable);
      const same = node === deno || isAllowedDifference(node, deno);
      if (same || timeouts === LONG_TIMEOUTS) return { same, node, deno };
    }
    throw new Error("not reached");
  }

  async function findDifferences(pairs: readonly (readonly string[])[]): Promise<string[]> {
    const found: string[] = [];
    const queue = pairs.values();
    const work = async () => {
      for (const texts of queue) {
        const { same, node, deno } = await compare(texts);
        if (!same) found.push(`${JSON.stringify(texts[0])}\n  Node: ${node}\n  Deno: ${deno}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return found;
  }

  it("gives identical answers to malformed and odd requests", async () => {
    const [node = [], deno = []] = await textsFor((
      client,
    ) => [...brokenRequests(client), ...oddRequests(client)]);
    assertEquals(await findDifferences(node.map(({ text }, n) => [text, deno[n]!.text])), []);
  });

  it("gives identical answers to two thousand mutations of valid requests", async () => {
    const random = createRandom(20_261_120);
    const plans = Array.from({ length: VARIANTS }, () => newPlan(random));
    const pairs: string[][] = [];
    while (pairs.length < VARIANTS) {
      const some = plans.slice(pairs.length, pairs.length + VARIANTS_A_PARTNER);
      const [node = [], deno = []] = await textsFor(
        (client) => some.map((plan) => plan(validRequests(client))),
        onboard,
      );
      pairs.push(...node.map((text, n) => [text, deno[n]!]));
    }
    assertEquals(pairs.filter(([one, other]) => one!.length !== other!.length), []);
    assertEquals(await findDifferences(pairs), []);
    const verdicts = await Promise.all(
      pairs.slice(0, 200).map(([text]) => services[0]!.send(text!, SHORT_TIMEOUTS)),
    );
    assert(
      new Set(verdicts.map((received) => verdictsOf(received).join())).size > 8,
      "the mutations caused too few different verdicts",
    );
  });
});

const identityOf = ({ fingerprint }: TestPartner) => [
  `X-Forwarded-Client-Cert: Hash=${fingerprint}`,
  "X-Client-Ip: 127.0.0.1",
];

function validRequests(client: Parameters<typeof oddRequests>[0]): string[] {
  const json = (path: string, body: string) =>
    write(client, `POST ${path} HTTP/1.1`, [
      `Authorization: Bearer ${client.token}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      `Idempotency-Key: ${randomUUID()}`,
      "X-Timestamp: 1800000000",
      `X-Nonce: ${randomUUID()}`,
      `X-JWS-Signature: a..${"A".repeat(86)}`,
    ], body);
  const chunked = ["Content-Type: application/x-www-form-urlencoded", "Transfer-Encoding: chunked"];
  return [
    write(client, "GET /health HTTP/1.1"),
    write(client, "GET /v1/balances HTTP/1.1", [`Authorization: Bearer ${client.token}`]),
    json("/v1/quotes", '{"side":"buy","gold_grams":1.5}'),
    json("/v1/orders", '{"quote_id":"qt_0"}'),
    write(client, "POST /oauth/token HTTP/1.1", chunked, "9\r\ngrant_typ\r\n2\r\ne=\r\n0\r\n\r\n"),
  ];
}

type Random = (below: number) => number;
type Plan = (sound: readonly string[]) => string;

/**
 * Bytes with a meaning in HTTP. None of them occurs in a hash, a token or a key, so that a change always
 * alters the texts of both services.
 */
const ODD = "\0\t\n\r ,:;=%/\\?#\x7f\x80\xff";
const ODD_OR_PLAIN = `${ODD}09A-`;

/**
 * Plans one to three changes of one request. Place and kind are fixed in the plan, so both runtimes get the
 * same changes.
 */
function newPlan(random: Random): Plan {
  const which = random(5);
  const changes = Array.from({ length: 1 + random(3) }, () => newChange(random));
  return (sound) => changes.reduce((text, change) => change(text), sound[which]!);
}

function newChange(random: Random): (text: string) => string {
  const [kind, place] = [random(6), random(2 ** 30)];
  const [odd, inserted] = [ODD, ODD_OR_PLAIN].map((bytes) => bytes[random(bytes.length)]!);
  return (text) => {
    const at = place % text.length;
    if (kind === 0) return text.slice(0, at) + text.slice(at + 1);
    if (kind === 1) return text.slice(0, at) + inserted + text.slice(at);
    if (kind === 2) return text.slice(0, at) + odd + text.slice(at + 1);
    const lines = text.split("\r\n");
    const line = place % lines.length;
    if (kind === 3) lines.splice(line, 1);
    if (kind === 4) lines.splice(line, 0, lines[line]!);
    if (kind === 5) lines.splice(line, 2, ...lines.slice(line, line + 2).reverse());
    return lines.join("\r\n");
  };
}

/** The linear congruential generator of Numerical Recipes. It returns the same numbers in every run. */
function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

/**
 * Returns true for the only allowed difference: if a request has both refused headers and a body with broken
 * framing, the service may report either fault. Which fault it reports depends on whether the parser has seen
 * the broken framing when the headers are checked.
 */
function isAllowedDifference(one: string, other: string): boolean {
  const isBreak = (reply: string) => reply.includes("framing is not well-formed");
  const isRefusal = (reply: string) => reply.startsWith("HTTP/1.1 4");
  return isRefusal(one) && isRefusal(other) && (isBreak(one) || isBreak(other));
}

/**
 * Returns the first final reply with sorted headers, and without the values that differ each time: ids,
 * instants, time differences, tokens and rate limits. Leaves out later replies, the connection headers and
 * the mark of a refusal that is only counted, because these depend on timing. If the request was already
 * answered, malformed bytes after the request get their own answer. Otherwise the request's answer says that
 * the connection closes.
 */
function comparable(received: string): string {
  const [reply = ""] = received.split(/(?=HTTP\/1\.1 [2-5])/).filter((text) =>
    !text.startsWith("HTTP/1.1 1")
  );
  const text = reply
    .replace(/(req|qt)_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "$1_")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "instant")
    .replace(/\d+ seconds ahead/, "seconds ahead")
    .replace(/"access_token":"[^"]+"/, '"access_token":""')
    .replace(/^(date|ratelimit): .*$/gim, "$1: new")
    .replace(/^(connection|keep-alive|x-gold-counted): .*\r\n/gim, "");
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [status, ...headers] = head.split("\r\n");
  return [status, ...headers.map((line) => line.toLowerCase()).sort(), ...rest].join(" | ");
}
