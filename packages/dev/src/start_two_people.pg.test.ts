import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { gold } from "@gold-partner/operator";
import { findFreePort } from "@gold-partner/local-postgres";
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
    await first.stop();
    const moved = await start();
    assertNotEquals(moved.run.base_url, first.run.base_url);
    assertEquals((await run("db", "status")).base_url, moved.run.base_url);
    const proposed = await run("price", "set", "--mid", "502");
    assertEquals(Object.keys(proposed), ["proposal_id", "sha256", "expires_at"]);
    // The audit trail has the logins of both operators.
    assertEquals((await run("audit", "full")).defects, 0);
    await moved.stop();
  });
});
