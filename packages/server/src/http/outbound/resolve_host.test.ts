import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { startNameServer } from "./name_server_fixture.ts";
import { createResolver, type ResolveHost } from "./resolve_host.ts";
import { setUp } from "../../../testing/set_up.ts";

describe("createResolver()", () => {
  const server = setUp(() => startNameServer());
  let resolve: ResolveHost;
  before(() => void (resolve = createResolver([server.address])));

  it("returns every address of a name, IPv4 first", async () => {
    server.says("both.example", ["2001:db8::1", "192.0.2.1", "192.0.2.2"]);
    server.says("six.example", ["2001:db8::1"]);
    assertEquals(await resolve("both.example"), ["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
    assertEquals(await resolve("six.example"), ["2001:db8::1"]);
    // Use a Set, because the resolver sends a query again if the server does not answer within a second.
    const questions = new Set(server.questions.filter((question) => question.startsWith("both.")));
    assertEquals(questions, new Set(["both.example A", "both.example AAAA"]));
  });

  it("returns all entries of the hosts file for a name, and asks DNS only if there is no entry", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gold-hosts-"));
    const file = join(folder, "hosts");
    await writeFile(
      file,
      "# 192.0.2.9 written.example\n192.0.2.1\tother.example Written.example # both\n::7 written.example\n\n",
    );
    const resolveWritten = createResolver([server.address], file);
    server.says("written.example", ["192.0.2.2"]);
    server.says("both.example", ["192.0.2.3"]);
    assertEquals(await resolveWritten("written.example"), ["192.0.2.1", "::7"]);
    assertEquals(await resolveWritten("both.example"), ["192.0.2.3"]);
    await rm(folder, { recursive: true });
    assertEquals(await resolveWritten("written.example"), ["192.0.2.2"]);
  });

  it("returns no address if the name is unknown or invalid, or if its server fails", async () => {
    server.says("failing.example", "failure");
    for (const name of ["nowhere.example", "failing.example", "", "a..b", "a".repeat(64), "a.".repeat(140)]) {
      assertEquals(await resolve(name), [], name);
    }
  });

  it("stops waiting for a silent server, and resolves other names meanwhile", async () => {
    server.says("silent.example", "silence");
    server.says("lively.example", ["192.0.2.1"]);
    const startedMs = performance.now();
    let isGivenUp = false;
    const silent = Promise.all(Array.from({ length: 50 }, () => resolve("silent.example")))
      .finally(() => isGivenUp = true);
    assertEquals(await resolve("lively.example"), ["192.0.2.1"]);
    assert(!isGivenUp, "the lookup waited for the silent server");
    assertEquals((await silent).flat(), []);
    assert(performance.now() - startedMs < 30_000);
  });

  it("runs at most 1,024 lookups at once, and returns no address for further names", async () => {
    const before = server.questions.length;
    const crowd = Array.from({ length: 1024 }, () => resolve("silent.example"));
    const addresses = await Promise.race([resolve("lively.example"), sleep(0, "the lookup waited")]);
    assertEquals(addresses, []);
    await Promise.all(crowd);
    assert(!server.questions.slice(before).includes("lively.example A"));
    assertEquals(await resolve("lively.example"), ["192.0.2.1"]);
  });
});
