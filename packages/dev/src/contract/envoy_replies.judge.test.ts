import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEquals, assertMatch } from "@std/assert";
import { BODY_MAX_BYTES, type OperationId, type TokenProblemCode } from "@gold-partner/protocol";
import { expectProblem } from "../trial/problem.ts";
import { headers } from "./attack/frames_trial.ts";
import { fieldsOf } from "./attack/http2_wire_trial.ts";
import { Siege } from "./attack/siege_trial.ts";
import type { Call, Caller } from "./caller_trial.ts";
import { type Described, describedBy, undescribedHeaders } from "./described_trial.ts";
import { haltService } from "./disturbances_trial.ts";
import { Faults } from "./faults_trial.ts";
import type { House } from "./house_trial.ts";
import { expectRefusal, type Form } from "./refusal_trial.ts";
import { QUOTE } from "./way_trial.ts";

/** The service numbers its replies by time; Envoy draws its numbers. */
const NAMED_BY_ENVOY = /^req_[0-9a-f]{8}-[0-9a-f]{4}-4/;

/** More requests at once than Envoy keeps for one service: 512 under way, and 512 that wait. */
const [WIRES, STREAMS] = [11, 100];
/** Long enough for them to arrive, and too short for Envoy to see that the service is not well. */
const ARRIVAL_MS = 500;

const baggage: Call = { headers: { "X-Baggage": "x".repeat(17_000) } };
const large: Call = { body: "x".repeat(BODY_MAX_BYTES + 1) };

describe("what Envoy answers by itself", () => {
  let siege: Siege;
  let house: House;
  let described: Described;
  let token: Call;
  before(async () => {
    siege = await Siege.open();
    house = siege.house;
    described = await describedBy(house.partner);
    token = { body: house.partner.form };
  });
  after(() => siege.close());

  /** Throws unless Envoy itself gave this refusal, as the operation's description has it. */
  async function expectFromEnvoy(
    code: TokenProblemCode,
    operation: OperationId,
    asked: Promise<Response>,
    form?: Form,
  ): Promise<void> {
    const reply = await asked;
    assertMatch(reply.headers.get("X-Request-Id") ?? "", NAMED_BY_ENVOY);
    await expectRefusal(code, operation, reply.clone(), form);
    assertEquals(undescribedHeaders(described, operation, reply), []);
  }

  /** The same refusal at an operation of the API and at the token endpoint, which has a form of its own. */
  async function expectTwice(code: TokenProblemCode, caller: Caller, fault: Call = {}): Promise<void> {
    const faults = new Faults();
    await Promise.all([
      faults.note(
        "createQuote",
        () => expectFromEnvoy(code, "createQuote", caller.call("createQuote", { ...QUOTE, ...fault })),
      ),
      faults.note(
        "issueToken",
        () => expectFromEnvoy(code, "issueToken", caller.call("issueToken", { ...token, ...fault })),
      ),
    ]);
    faults.expectNone();
  }

  /** What is refused before it is known what is asked for has one form for all. */
  async function expectEarly(code: TokenProblemCode, fault: Call): Promise<void> {
    for (const operation of ["createQuote", "issueToken"] as const) {
      await expectFromEnvoy(code, operation, house.partner.call(operation, { ...QUOTE, ...fault }), "plain");
    }
  }

  it("is what is too large", async () => {
    await expectTwice("body_too_large", house.partner, large);
    await expectEarly("header_too_large", baggage);
  });

  it("is what it will not pass on", async () => {
    const { partner } = house;
    const escaped = partner.call("createQuote", { ...QUOTE, target: "/v1%2fquotes" });
    await expectFromEnvoy("path_not_allowed", "createQuote", escaped);
    await expectEarly("invalid_request", { headers: { x_nonce: "0123456789abcdef" } });
    const elsewhere = await partner.call("getHealth", { headers: { Host: "other.example" } });
    assertMatch(elsewhere.headers.get("X-Request-Id") ?? "", NAMED_BY_ENVOY);
    await expectProblem(elsewhere, "not_found");
    const traced = partner.call("getHealth", { method: "TRACE" });
    await expectFromEnvoy("method_not_allowed", "getHealth", traced);
  });

  it("is more than one certificate may send", async () => {
    const flooded = house.partner.through(await house.openEnvoy({ FLOOD_PER_SECOND: "1" }));
    await flooded.call("getHealth");
    await expectTwice("rate_limited", flooded);
  });

  it("is that there is no service", async () => {
    await expectTwice("upstream_unavailable", house.partner.through(await house.openEmptyDoor()));
  });

  it("is that too much waits already", async () => {
    const { host } = new URL(house.running.baseUrl);
    const asked = Array.from({ length: STREAMS }, (_, n) => headers(1 + 2 * n, fieldsOf(host, "/health")));
    const mend = await haltService(house);
    const wires = await Promise.all(Array.from({ length: WIRES }, () => siege.openHttp2()));
    for (const wire of wires) wire.write(...asked);
    await sleep(ARRIVAL_MS);
    await expectTwice("service_unavailable", house.partner).finally(mend);
    for (const wire of wires) wire.close();
  });

  it("is what takes too long: a request that does not arrive, a reply that does not come", async () => {
    const mend = await haltService(house);
    await Promise.all([
      expectTwice("request_timeout", house.partner, { stalls: true }),
      expectTwice("upstream_timeout", house.partner),
    ]).finally(mend);
  });
});
