import type { Mutation } from "./mutation.ts";

const HEADS = "src/database/keep_heads.ts";
const HEADS_TEST = "src/database/keep_heads.pg.test.ts";
const FINDER = "../database/src/primary_finder.ts";
const FINDER_TEST = "../database/src/primary_finder.test.ts";
const BATCHER = "src/booking/batcher.ts";
const BATCHER_TEST = "src/booking/batcher_failures.test.ts";
const POOLS = "src/database/pools.ts";

export const FAILOVER_MUTATIONS: readonly Mutation[] = [
  {
    name: "heads: the service writes although records are missing",
    file: HEADS,
    from: "if (losses.length > 0) return false;",
    to: "",
    tests: [HEADS_TEST],
    short: true,
  },
  {
    name: "heads: the file loses the heads of the missing records",
    file: HEADS,
    from: "if (losses.length > 0) return false;",
    to: "if (losses.length > 0) { await write({ epoch, at, items: heads }); return false; }",
    tests: [HEADS_TEST],
  },
  {
    name: "heads: a file that cannot be read counts as none",
    file: HEADS,
    from: 'if (codeOf(error) === "ENOENT") return undefined;',
    to: "if (error) return undefined;",
    tests: [HEADS_TEST],
  },
  {
    name: "heads: a crash can leave half a file",
    file: HEADS,
    from: "const next = `${file}.${DRAFT}`;",
    to: "const next = file;",
    tests: [HEADS_TEST],
  },
  {
    name: "primary: the service goes back to a primary with a lower timeline",
    file: FINDER,
    from: "timeline >= this.#timeline;",
    to: "timeline >= 0;",
    tests: [FINDER_TEST],
    short: true,
  },
  {
    name: "primary: the first primary that answers is used",
    file: FINDER,
    from: "setTimeout(end, GRACE_MS);",
    to: "end();",
    tests: [FINDER_TEST],
  },
  {
    name: "primary: of two primaries, the one with the lower timeline is used",
    file: FINDER,
    from: "const newest = Math.max(",
    to: "const newest = Math.min(",
    tests: [FINDER_TEST],
  },
  {
    name: "primary: connections to the old primary stay open",
    file: FINDER,
    from: "if (connected !== host) socket.destroy();",
    to: "void connected, socket;",
    tests: [FINDER_TEST],
  },
  {
    name: "batcher: an order waits for its commit without a limit",
    file: BATCHER,
    from: 'reject(inDoubt(new Error("the commit took too long")));',
    to: "void reject;",
    tests: [BATCHER_TEST],
  },
  {
    name: "batcher: an order waits 20 s for its commit",
    file: BATCHER,
    from: "const COMMIT_WAIT_MS = 10_000;",
    to: "const COMMIT_WAIT_MS = 20_000;",
    tests: [BATCHER_TEST],
  },
  {
    name: "batcher: an order whose client was busy waits for 10 s once more",
    file: BATCHER,
    from: "this.#limit(group, sentMs,",
    to: "this.#limit(group, performance.now(),",
    tests: [BATCHER_TEST],
  },
  {
    name: "pools: a process opens more connections than the documentation says",
    file: POOLS,
    from: "const READ_CONNECTIONS = 4;",
    to: "const READ_CONNECTIONS = 5;",
    tests: ["src/database/pools.pg.test.ts"],
  },
];
