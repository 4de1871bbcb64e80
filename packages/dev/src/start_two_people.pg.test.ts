import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gold } from "@gold-partner/operator";
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { findFreePort } from "./postgres/mod.ts";
import postgres from "postgres";
import { until } from "../../../tools/testing/until.ts";
import { endAll, type Started, startUntilReady } from "../testing/start.ts";

type Answer = Readonly<Record<string, unknown>>;

describe("npm start -- --two-people", () => {
  let state: string;
  before(async () => void (state = await mkdtemp(join(tmpdir(), "gold-start-two-"))));
  after(async () => {
    await endAll();
    await rm(state, { recursive: true, force: true });
  });

  async function run(...argv: string[]): Promise<Answer> {
    const [out, err]: [string[], string[]] = [[], []];
    const exit = await gold([...argv, "--state", join(state, "start"), "--json", "--yes"], {
      env: {},
      out: (text) => out.push(text),
      err: (text) => err.push(text),
      now: () => new Date(),
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    });
    assertEquals(exit, 0, err.join("\n"));
    return JSON.parse(out.join("\n")) as Answer;
  }
  /** A superuser adds a client secret. The service must skip this row, and no other row. */
  async function requiresSignatures({ run: { database_url } }: Started, times: number): Promise<void> {
    const url = new URL(database_url);
    url.username = "postgres";
    url.password = (await readFile(join(state, "start", "postgres", "password"), "utf8")).trim();
    const sql = postgres(url.href, { max: 1, onnotice: () => {} });
    const skipped = () =>
      readFileSync(join(state, "start", "log", "server.log"), "utf8").split("\n")
        .filter((line) => line.includes("malformed row skipped")).map((line) => JSON.parse(line));
    try {
      assertEquals(skipped().length, times - 1);
      const [row] = await sql`
        insert into gold.client_secret (partner_id, hash) select min(id), sha256('own') from gold.partner returning id`;
      await sql`update gold.registry_version set version = version + 1`;
      await until(() => skipped().length === times);
      assertMatch(`${skipped().at(-1)!.row} ${skipped().at(-1)!.code}`, /^client_secret .* unsigned$/);
      await sql`delete from gold.client_secret where id = ${row!.id}`;
      await sql`update gold.registry_version set version = version + 1`;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
  const start = async (...args: string[]): Promise<Started> =>
    await startUntilReady(join(state, "start"), "--port", `${await findFreePort()}`, "--no-demo", ...args);

  it("needs `gold --as second` to approve a price, also after a start on another port without the option", async () => {
    const first = await start("--two-people");
    const { proposal_id, sha256 } = await run("price", "set", "--mid", "501") as {
      proposal_id: string;
      sha256: string;
    };
    assertNotEquals((await run("price", "show")).mid, "501");
    await run("--as", "second", "proposal", "approve", proposal_id, "--sha256", sha256);
    assertEquals((await run("price", "show")).mid, "501");
    const { signed_by } = await run("proposal", "show", proposal_id);
    assertMatch(`${signed_by}`, /^operator_one SHA256:/);
    await requiresSignatures(first, 1);
    await first.stop();
    const moved = await start();
    assertNotEquals(moved.run.base_url, first.run.base_url);
    assertEquals((await run("db", "status")).base_url, moved.run.base_url);
    await requiresSignatures(moved, 2);
    const proposed = await run("price", "set", "--mid", "502");
    assertEquals(Object.keys(proposed), ["proposal_id", "sha256", "expires_at"]);
    // The audit trail has the logins of both operators.
    assertEquals((await run("audit", "full")).defects, 0);
    await moved.stop();
  });
});
