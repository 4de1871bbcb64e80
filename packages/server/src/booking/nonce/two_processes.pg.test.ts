import { runtimeArguments } from "../../../../../tools/testing/runtime_arguments.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { spawn } from "node:child_process";
import { assertEquals } from "@std/assert";
import process from "node:process";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { newUuid, nonceItem } from "../fixture.ts";
import type { NonceItem } from "./spend_nonces.ts";
import { valueOf } from "../../../testing/rows.ts";

const SPENDER = fileURLToPath(new URL("./spender_fixture.ts", import.meta.url));
const CLIENTS = 8;
const NONCES = 25;

/** Other requests with the same nonces. */
const asOthers = (items: readonly NonceItem[]) => items.map((item) => ({ ...item, requestId: newUuid() }));

describe("two processes that spend the same nonces concurrently", () => {
  const books = suiteBooks();

  /** Starts a process that is ready to spend. The returned function lets it spend and gives its outcomes. */
  async function startSpender(items: readonly NonceItem[]): Promise<() => Promise<string[]>> {
    const child = spawn(process.execPath, [...runtimeArguments(SPENDER), books.url, JSON.stringify(items)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    assertEquals((await lines.next()).value, "ready");
    return async () => {
      child.stdin.end("spend\n");
      return JSON.parse((await lines.next()).value as string) as string[];
    };
  }

  it("accept each nonce once in total, although each process also repeats nonces", async () => {
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => books.createClient()));
    const once = clients.flatMap((client) => Array.from({ length: NONCES }, () => nonceItem(client)));
    const items = asOthers([...once, ...once]);
    const spenders = await Promise.all([items, asOthers(items).toReversed()].map(startSpender));
    const [ahead, backwards] = await Promise.all(spenders.map((spend) => spend()));
    const behind = backwards!.toReversed();
    const taken = once.map((_, n) =>
      [ahead![n], ahead![n + once.length], behind[n], behind[n + once.length]].sort()
    );
    assertEquals(taken, once.map(() => ["answered", "nonce_reused", "nonce_reused", "nonce_reused"]));
    assertEquals(await valueOf(books.sql`select count(*)::int as rows from gold.nonce`), once.length);
  });
});
