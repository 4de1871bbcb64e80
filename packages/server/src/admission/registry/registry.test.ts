import { afterEach, describe, it } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Sql } from "postgres";
import { Refusal } from "../../http/refusal.ts";
import { openRegistry, type Registry } from "./registry.ts";

const DATABASE_MS = Date.parse("2026-01-31T09:30:00.000Z");
const DOCUMENT = {
  environment: "sandbox",
  public_base_url: "https://api.example",
  token_keys: [],
  partners: [],
};

interface Row {
  readonly version: string;
  readonly at: Date;
  readonly document: object | null;
}

/** A fake database whose answers the test gives, and a clock that only the test moves. */
function stage(answer: (known: unknown, number: number) => Row | undefined | Promise<Row>) {
  const clock = { ms: 1000 };
  const queries: unknown[] = [];
  const sql = async (_: TemplateStringsArray, known: unknown) => {
    queries.push(known);
    const row = await answer(known, queries.length);
    return row ? [row] : [];
  };
  return { clock, queries, open: () => openRegistry(sql as unknown as Sql, () => clock.ms, () => {}) };
}
const row = (version: string, document: object | null = DOCUMENT): Row => ({
  version,
  at: new Date(DATABASE_MS),
  document,
});

const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => open = resolve);
  return { open: () => open(), opened };
}

describe("openRegistry()", () => {
  let registry: Registry | undefined;
  afterEach(() => registry?.stop());

  it("reads the document once, and again only after its version changed", async () => {
    const { queries, open } = stage((_, number) =>
      row(number < 3 ? "7" : "8", number === 2 ? null : DOCUMENT)
    );
    registry = await open();
    const first = registry.snapshot();
    assertEquals(await registry.refresh(), first);
    const changed = await registry.refresh();
    assertEquals([first.version, changed.version], ["7", "8"]);
    assertEquals(queries, [null, "7", "7"]);
  });

  it("rejects a database without a deployment", async () => {
    await assertRejects(() => stage(() => undefined).open(), Error, "gold db migrate");
  });

  it("sends one query for concurrent refreshes", async () => {
    const { queries, open } = stage((_, number) => row(`${number}`));
    registry = await open();
    const both = await Promise.all([registry.refresh(), registry.refresh()]);
    assertEquals(both.map(({ version }) => version), ["2", "2"]);
    assertEquals(queries.length, 2);
  });

  it("reads again if a refresh is requested during a read, because this read may lack a change", async () => {
    const late = gate();
    const { queries, open } = stage(async (_, number) => {
      if (number === 2) await late.opened;
      return row(`${number}`);
    });
    registry = await open();
    registry.stop();
    const early = registry.refresh();
    while (queries.length < 2) await turn();
    const after = registry.refresh();
    late.open();
    assertEquals([(await early).version, (await after).version], ["2", "3"]);
  });

  it("polls every second, until it is stopped", async () => {
    const { queries, open } = stage(() => row("1", DOCUMENT));
    const openedMs = performance.now();
    registry = await open();
    await new Promise((resolve) => setTimeout(resolve, 1300));
    // Allow more polls on a slow machine, on which more time passes.
    const most = 1 + Math.floor((performance.now() - openedMs) / 1000);
    registry.stop();
    const { length } = queries;
    assert(length >= 2 && length <= most, `${length} reads; expected at least 2 and at most ${most}`);
    await new Promise((resolve) => setTimeout(resolve, 1300));
    assertEquals(queries.length, length);
  });

  it("refuses with 503 if the last successful read began over 5 s ago, until a read succeeds", async () => {
    const { clock, open } = stage((_, number) => {
      if (number === 2) throw new Error("away");
      return row("1");
    });
    registry = await open();
    registry.stop();
    clock.ms += 5000;
    assertEquals([registry.isFresh(), registry.snapshot().version], [true, "1"]);
    clock.ms += 1;
    assertEquals(registry.isFresh(), false);
    const refusal = assertThrows(() => registry!.snapshot(), Refusal);
    assertEquals(refusal.code, "service_unavailable");
    await assertRejects(() => registry!.refresh(), Error, "away");
    assertEquals(registry.isFresh(), false);
    await registry.refresh();
    assertEquals([registry.isFresh(), registry.snapshot().version], [true, "1"]);
  });

  it("measures the age of a slow read from its start", async () => {
    const { clock, open } = stage(() => {
      clock.ms += 4000;
      return row("1");
    });
    registry = await open();
    registry.stop();
    clock.ms += 1000;
    assertEquals(registry.isFresh(), true);
    clock.ms += 1;
    assertEquals(registry.isFresh(), false);
  });

  it("assumes that the database read its clock halfway between query and answer", async () => {
    const { clock, open } = stage(() => {
      clock.ms += 100;
      return row("1");
    });
    registry = await open();
    registry.stop();
    assertEquals(registry.now(), DATABASE_MS + 50);
    clock.ms += 2345;
    assertEquals(registry.now(), DATABASE_MS + 50 + 2345);
  });

  it("does not use the machine's clock", async () => {
    const { open } = stage(() => row("1"));
    const systemNow = Date.now;
    Date.now = () => 0;
    try {
      registry = await open();
      assertEquals(registry.now(), DATABASE_MS);
    } finally {
      Date.now = systemNow;
    }
  });
});
