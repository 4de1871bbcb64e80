import { after, before, describe, it } from "node:test";
import { openTestProxy, testCases, type TestProxy } from "./proxy_fixture.ts";
import { brokenRequests, oddRequests, type RequestCase } from "@gold-partner/server/testing";

describe("the service's HTTP listener behind Envoy", () => {
  let proxy: TestProxy;
  before(async () => {
    proxy = await openTestProxy("envoy");
  });
  after(() => proxy.stop());

  const judge = (cases: readonly RequestCase[]) =>
    testCases(cases.map(({ text, verdict, envoy = verdict }) => ({ text, verdict: envoy })), proxy.open);

  it("rejects malformed requests", async () => judge(brokenRequests(await proxy.client())));
  it("answers odd requests as documented", async () => judge(oddRequests(await proxy.client())));
});
