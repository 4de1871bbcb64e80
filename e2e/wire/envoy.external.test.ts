import { after, before, describe, it } from "node:test";
import { judgeCases, openTestDoor, type TestDoor } from "./door_fixture.ts";
import { brokenRequests, oddRequests, type RequestCase } from "@gold-partner/server/testing";

describe("the service's HTTP listener behind Envoy", () => {
  let door: TestDoor;
  before(async () => {
    door = await openTestDoor("envoy");
  });
  after(() => door.stop());

  const judge = (cases: readonly RequestCase[]) =>
    judgeCases(cases.map(({ text, verdict, envoy = verdict }) => ({ text, verdict: envoy })), door.open);

  it("rejects malformed requests", async () => judge(brokenRequests(await door.client())));
  it("answers odd requests as documented", async () => judge(oddRequests(await door.client())));
});
