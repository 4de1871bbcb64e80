import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type TestBooks, testBooks } from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import type { Identity } from "../pki_fixture.ts";
import { runSidecar, startSidecar } from "../sidecar_fixture.ts";
import { until } from "../../../../tools/testing/until.ts";

const REFUSED_WITHIN_MS = 2000;

const runKeep = (args: readonly string[], settings: Readonly<Record<string, string>>) =>
  runSidecar(["keep", ...args], settings);

describe("sidecar keep, between the database and the real Envoy", () => {
  let fixture: TestEnvoy;
  let books: TestBooks;
  let trustSync: ChildProcess | undefined;
  before(async () => {
    books = await testBooks();
    fixture = await startTestEnvoy();
    await books.sql`
      insert into gold.authority (fingerprint, certificate, key_source, revocation_list, revocation_number, revocation_next_at)
      values (${"1".repeat(64)}, ${fixture.authority.cert}, 'file:/ca', ${
      fixture.authority.revocationList([])
    }, 1,
        clock_timestamp() + interval '1 day')`;
  });
  after(async () => {
    trustSync?.kill("SIGKILL");
    await fixture.stop();
    await books.stop();
  });

  const settings = () => {
    const url = new URL(books.url);
    url.searchParams.set("role", "gold_trust");
    return { GOLD_ENV: "sandbox", DATABASE_URL: url.href, TRUST_DIRECTORY: join(fixture.folder, "trust") };
  };
  const isLetIn = async ({ cert, key }: Identity) =>
    await fixture.send(request("GET /health"), { cert, key }).then(
      ({ status }) => status === 200,
      () => false,
    );
  /** Stores the list in the database. Returns how many milliseconds pass until the condition is true. */
  const publish = async (list: string, nextAt: string, condition: () => Promise<boolean>) => {
    await books.sql`
      update gold.authority set revocation_list = ${list}, revocation_number = revocation_number + 1,
        revocation_next_at = clock_timestamp() + ${nextAt}::text::interval`;
    await books.sql`update gold.registry_version set version = version + 1`;
    const startedMs = performance.now();
    await until(condition);
    return performance.now() - startedMs;
  };

  it("--once writes the files, or reports why it did not", async () => {
    const { code, error } = await runKeep(["--once"], settings());
    assertEquals([code, error], [0, ""]);
    const nobody = await runKeep(["--once"], {
      ...settings(),
      DATABASE_URL: "postgres://x@127.0.0.1:1/gold",
    });
    assertEquals(nobody.code, 3);
    assertMatch(nobody.error, /^The CA certificates and revocation lists were not written\. .+\n$/);
  });

  it("Envoy refuses a revoked certificate within two seconds, unless the list is overdue", async () => {
    const { child, ended } = startSidecar(["keep"], settings());
    trustSync = child;
    let revoked = fixture.client;
    let list = "";
    const tookMs: number[] = [];
    // One of five attempts must be fast enough, because other load on the machine or the start of `sidecar
    // keep` may slow some.
    while (tookMs.length < 5 && !tookMs.some((ms) => ms < REFUSED_WITHIN_MS)) {
      revoked = fixture.authority.issue(`revoked_${tookMs.length}`);
      assertEquals([await isLetIn(revoked), await isLetIn(fixture.client)], [true, true]);
      list = fixture.authority.revocationList([revoked]);
      tookMs.push(await publish(list, "1 day", async () => !await isLetIn(revoked)));
    }
    assert(tookMs.some((ms) => ms < REFUSED_WITHIN_MS), `${tookMs.join(", ")} ms`);
    assertEquals(await isLetIn(fixture.client), true);
    // Publish an overdue list. The proxy then gets no list, so it lets the revoked certificate in; with the
    // overdue list, Envoy would refuse everyone. In production, the service refuses the revoked certificate.
    await publish(list, "4 seconds", () => isLetIn(revoked));
    assertEquals(await isLetIn(fixture.client), true);
    await publish(list, "1 day", async () => !await isLetIn(revoked));
    process.kill(child.pid!, "SIGTERM");
    const { code, out, error } = await ended;
    assertEquals([code, error], [0, ""]);
    const events = out.trim().split("\n").map((line) => JSON.parse(line).event as string);
    assertEquals(events.filter((event) => event === "trust written").length, 2 + tookMs.length, out);
    assert(events.includes("an authority's revocation list is overdue"), out);
  });

  it("rejects unknown arguments, and names every invalid setting", async () => {
    const wrong = await runKeep(["--one"], settings());
    assertEquals(wrong.code, 2);
    assertMatch(wrong.error, /^sidecar keep \[--once\]/);
    const unset = await runKeep([], { GOLD_ENV: "sandbox", DATABASE_URL: "", TRUST_DIRECTORY: "" });
    assertEquals(unset.code, 2);
    assertEquals(unset.error.match(/^[A-Z_]+/gm), ["DATABASE_URL", "TRUST_DIRECTORY"]);
    const unsigned = await runKeep(["--once"], { ...settings(), GOLD_ENV: "production" });
    assertEquals(unsigned.code, 2);
    assertMatch(unsigned.error, /^OPERATOR_KEYS must be .+, or off; got ""\.\n$/m);
  });

  it("refuses OPERATOR_KEYS=off in production once keys are registered and no row awaits adoption", async () => {
    const off = { ...settings(), GOLD_ENV: "production", OPERATOR_KEYS: "off" };
    await books.sql`
      insert into gold.operator_key (fingerprint, login, public_key, admitted_by, added_at)
      values ('SHA256:x', 'amal', 'ssh-ed25519 x', 'root', now())`;
    const adopting = await runKeep(["--once"], off);
    assertEquals([adopting.code, adopting.error], [0, ""]);
    await books.sql`delete from gold.authority`;
    const refused = await runKeep([], off);
    assertEquals(refused.code, 2);
    assertMatch(
      refused.error,
      /^OPERATOR_KEYS must be .+; got off\. Two people have signed for every row/,
    );
  });
});
