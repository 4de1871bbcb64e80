import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { testCalls } from "./client_calls_fixture.ts";
import { testStreams } from "./client_streams_fixture.ts";
import { JAVA_PACKAGE, JavaBuild, JavaClient } from "./java_client_fixture.ts";
import { type ClientPlan, testSurvival } from "./survival_fixture.ts";

describe("the Java client", () => {
  let build: JavaBuild;
  let stack: Stack;
  const open = (plan: ClientPlan) => {
    const { client_id } = stack.partner.credentials;
    const credentials = stack.running.state.path("partners", client_id, "credentials.json");
    return new JavaClient(build, credentials, plan);
  };

  before(async () => {
    build = await JavaBuild.create();
    stack = await Stack.open();
    await stack.partner.succeed("fundSandbox", { body: { amount_sar: 1_000_000 } });
  });
  after(async () => {
    await stack?.close();
  });

  it("passes its own tests: the vectors, calls over a scripted transport, and streams", () => {
    assert(build.countTests() >= 34, `${build.countTests()} tests`);
  });

  it("needs only Jackson, and its jar has the version of the other packages", () => {
    const { version } = JSON.parse(readFileSync(join(JAVA_PACKAGE, "../package.json"), "utf8"));
    const jar = join(build.folder, `gold-partner-${version.replace("-dev", "-SNAPSHOT")}.jar`);
    assertMatch(
      execFileSync("jar", ["--list", "--file", jar], { encoding: "utf8" }),
      /gold\/partner\/GoldClient\.class/,
    );
    const needed = readdirSync(join(build.folder, "lib"));
    assertEquals(
      needed.filter((name) => !/^jackson-(annotations|core|databind)-[\d.]+\.jar$/.test(name)),
      [],
    );
  });

  describe("with the running service", () => {
    testCalls("java", () => ({ stack, open }));
  });

  describe("when the service or the network fails", () => {
    testStreams(() => stack, testSurvival(() => ({ stack, open })));
  });
});
