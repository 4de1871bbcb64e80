import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import { asOperator, type Operator } from "./operator.ts";
import { findFreePort } from "./postgres/mod.ts";
import { endAll, type Started, startUntilReady } from "../testing/start.ts";

type Item = Readonly<Record<string, unknown>>;

describe("npm start's partners for load tests", () => {
  let folder: string;
  let state: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-start-loadtest-"));
    state = join(folder, "state");
  });
  after(async () => {
    await endAll();
    await rm(folder, { recursive: true, force: true });
  });

  const read = async (name: string): Promise<Item> =>
    JSON.parse(await readFile(join(state, "loadtest", `partner-${name}.json`), "utf8"));
  const operatorOf = ({ run }: Started): Operator => asOperator(run.database_url, run.second_database_url);
  const items = async (operator: Operator, words: string, ...more: string[]) =>
    (await operator(words, ...more)).items as Item[];

  it("exist and are funded when npm start is ready, and are kept when more are added", async () => {
    const started = await startUntilReady(state, "--port", `${await findFreePort()}`, "--no-demo");
    try {
      const operator = operatorOf(started);
      const [zero, limited] = [await read("0"), await read("limited")];
      const partners = await items(operator, "partner list");
      assertEquals(partners.map(({ name }) => name), ["Example Bank", "Load test 0", "Load test limited"]);
      assertEquals(partners.slice(1).map((one) => one.client_id), [zero.client_id, limited.client_id]);
      assertEquals([zero.base_url, zero.ca], [started.run.base_url, join(state, "pki", "ca.pem")]);
      const { sar_available } = await operator("partner show", zero.client_id as string);
      assertEquals(sar_available, "1000000000");
      const made = await items(
        operator,
        "loadtest prepare --partners 2",
        ...["--out", join(state, "loadtest"), "--ca", join(state, "pki", "ca.pem")],
      );
      assertEquals(made.map(({ status }) => status), ["kept", "new", "kept"]);
      assertEquals((await operator("ledger verify")).clean, true);
    } finally {
      await started.stop();
    }
  });

  it("get the new base URL when the port changes, and are replaced after --reset", async () => {
    const first = await read("0");
    const moved = await startUntilReady(state, "--port", `${await findFreePort()}`, "--no-demo");
    await moved.stop();
    assertEquals(await read("0"), { ...first, base_url: moved.run.base_url });
    assertNotEquals(moved.run.base_url, first.base_url);
    const fresh = await startUntilReady(state, "--port", `${await findFreePort()}`, "--no-demo", "--reset");
    await fresh.stop();
    assertNotEquals((await read("0")).client_id, first.client_id);
  });
});
