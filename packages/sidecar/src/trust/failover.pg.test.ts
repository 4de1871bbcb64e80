import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { PostgresPair, type TestBooks, testBooks } from "@gold-partner/server/testing";
import { assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import { until } from "../../../../tools/testing/until.ts";
import { ONE_CERTIFICATE, OTHER_CERTIFICATE } from "./samples_fixture.ts";
import { TRUST_FILE } from "./trust_folder.ts";
import { syncTrust, type TrustSync } from "./trust_sync.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

describe("the trust sync with several hosts in DATABASE_URL", () => {
  let pair: PostgresPair;
  let books: TestBooks;
  const folder = temporaryFolder("gold-trust");
  let trustSync: TrustSync | undefined;
  before(async () => {
    pair = await PostgresPair.start();
    books = await testBooks(await pair.server());
  });
  after(async () => {
    await trustSync?.stop();
    await books.stop();
    await pair.stop();
  });

  const add = async (sql: Sql, digit: string, certificate: string) => {
    await sql`insert into gold.authority (fingerprint, certificate, key_source)
      values (${digit.repeat(64)}, ${certificate}, 'file:/ca')`;
    await sql`update gold.registry_version set version = version + 1`;
  };
  const trusted = async () => {
    const text = await readFile(join(folder, TRUST_FILE), "utf8").catch(() => undefined);
    return text && JSON.parse(text).resources[0].validation_context.trusted_ca.inline_string as string;
  };
  const untilTrusted = (expected: string) => until(async () => await trusted() === expected, trusted);

  it("reads the primary behind a host that never answers and a standby, then the promoted standby", async () => {
    const url = new URL(books.url);
    url.searchParams.set("role", "gold_trust");
    const lines: string[] = [];
    trustSync = syncTrust({
      databaseUrl: pair.urlOf(url),
      folder,
      pollMs: 20,
      now: () => Date.parse("2027-01-01T00:00:00Z"),
      write: (line) => void lines.push(line),
    });
    await add(books.sql, "1", ONE_CERTIFICATE);
    await untilTrusted(ONE_CERTIFICATE);

    await pair.crash("first");
    await pair.promote();
    const promoted = pair.sql("second", url.pathname.slice(1));
    await add(promoted, "2", OTHER_CERTIFICATE);
    await untilTrusted(ONE_CERTIFICATE + OTHER_CERTIFICATE);

    // The old primary runs again, as if nobody had fenced it. The trust sync must not read its CAs.
    await pair.run("first");
    await promoted`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gold-partner-trust'`;
    await promoted`update gold.authority set retired_at = clock_timestamp() where fingerprint = ${
      "1".repeat(64)
    }`;
    await promoted`update gold.registry_version set version = version + 1`;
    await untilTrusted(OTHER_CERTIFICATE);

    // Each line follows its file.
    const written = () =>
      lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "trust written");
    await until(() => written().length >= 3, () => lines);
    assertEquals(written().map(({ authorities }) => authorities), [1, 2, 1]);
  });
});
