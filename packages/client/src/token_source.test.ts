import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { TokenSource } from "./token_source.ts";

function stage() {
  const clock = { ms: 0 };
  const stands = { fetched: 0, fails: false };
  const source = new TokenSource(async () => {
    const number = ++stands.fetched;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (stands.fails) throw new Error("no token");
    return { token: `token-${number}`, livesMs: 600_000 };
  }, () => clock.ms);
  return { clock, stands, source };
}
const many = (source: TokenSource) => Promise.all(Array.from({ length: 100 }, () => source.get()));

describe("TokenSource", () => {
  it("fetches one token for all concurrent callers, at first and when renewal is due", async () => {
    const { clock, stands, source } = stage();
    assertEquals(new Set(await many(source)), new Set(["token-1"]));
    clock.ms = 479_999;
    assertEquals(await source.get(), "token-1");
    clock.ms = 480_000;
    assertEquals(new Set(await many(source)), new Set(["token-2"]));
    assertEquals(stands.fetched, 2);
  });

  it("drops a refused token once, however many calls were refused with it", async () => {
    const { stands, source } = stage();
    const token = await source.get();
    await Promise.all(Array.from({ length: 100 }, () => source.drop(token)));
    assertEquals(await source.get(), "token-2");
    await source.drop(token);
    assertEquals([await source.get(), stands.fetched], ["token-2", 2]);
  });

  it("returns a token that is immediately due for renewal to the caller that fetched it", async () => {
    const source = new TokenSource(() => Promise.resolve({ token: "brief", livesMs: 0 }), () => 0);
    assertEquals(await source.get(), "brief");
  });

  it("does not cache a failure: the next caller fetches again", async () => {
    const { stands, source } = stage();
    stands.fails = true;
    await assertRejects(() => many(source), Error, "no token");
    stands.fails = false;
    assertEquals([await source.get(), stands.fetched], ["token-2", 2]);
  });
});
