import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { testCalls } from "./client_calls_fixture.ts";
import { testStreams } from "./client_streams_fixture.ts";
import { CSHARP_PACKAGE, CsharpBuild, CsharpClient } from "./csharp_client_fixture.ts";
import { type ClientPlan, testSurvival } from "./survival_fixture.ts";

describe("the C# client", () => {
  let build: CsharpBuild;
  let stack: Stack;
  const open = (plan: ClientPlan) => {
    const { client_id } = stack.partner.credentials;
    const credentials = stack.running.state.path("partners", client_id, "credentials.json");
    return new CsharpClient(build, credentials, plan);
  };

  before(async () => {
    build = await CsharpBuild.create();
    stack = await Stack.open();
    await stack.partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
  });
  after(async () => {
    await stack?.close();
  });

  it("passes its own tests: the vectors, calls over a scripted handler, and streams", async () => {
    const passed = await build.runTests();
    assert(passed >= 34, `${passed} tests`);
  });

  it("needs no package, and its assembly has the version of the other packages", () => {
    const { version } = JSON.parse(readFileSync(join(CSHARP_PACKAGE, "../package.json"), "utf8"));
    const described = readFileSync(join(build.folder, "GoldPartner/GoldPartner.deps.json"), "utf8");
    const { libraries } = JSON.parse(described) as { libraries: object };
    assertEquals(Object.keys(libraries), [`GoldPartner/${version}`]);
  });

  describe("with the running service", () => {
    testCalls("csharp", () => ({ stack, open }));
  });

  describe("when the service or the network fails", () => {
    testStreams(() => stack, testSurvival(() => ({ stack, open })));
  });
});
