import { after, before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

describe("gold ledger heads and ledger verify --heads", () => {
  let operator: TestOperator;
  let heads: string;
  const client = () => operator.service.partner;
  const fund = () => operator.service.send("/sandbox/fund", { body: '{"amount_sar":10}' });
  const seal = () => operator.service.books.sql`select gold.seal_chain(${client().client})`;

  before(async () => {
    operator = await testOperator();
    await fund();
    await fund();
    await seal();
    heads = operator.path("heads.json");
  });
  after(() => operator.stop());

  it("ledger heads writes each chain's head to a new file", async () => {
    const { file, items } = await operator.done("ledger", "heads", "--out", heads);
    assertEquals(file, heads);
    const [head] = items as Record<string, unknown>[];
    assertEquals([head!.client_id, head!.sequence], [client().clientId, "2"]);
    assertMatch(head!.head as string, /^[0-9a-f]{64}$/);
    assertEquals(JSON.parse(await operator.read("heads.json")), { items });
    assertEquals(await operator.done("ledger", "heads"), { items });
    refused(await operator.gold("ledger", "heads", "--out", heads), 2, "exists");
  });

  it("ledger verify accepts the stored heads after the chain has grown", async () => {
    await fund();
    await seal();
    const verified = await operator.done("ledger", "verify", "--heads", heads);
    assertEquals([verified.clean, verified.heads], [true, 1]);
  });

  it("ledger verify --heads detects truncated chains, and rewritten chains that verify accepts", async () => {
    const { sql } = operator.service.books;
    const tables = ["event", "transfer", "funding", "chain_link"];
    for (const table of tables) await sql.unsafe(`alter table gold.${table} disable trigger append_only`);
    await sql`update gold.event set created_at = created_at - interval '1 ms' where sequence = 1 and client_id = ${client().client}`;
    await sql`update gold.transfer set posted_at = posted_at - interval '1 ms' where sequence = 1 and client_id = ${client().client}`;
    await sql`update gold.funding set created_at = created_at - interval '1 ms' where sequence = 1 and client_id = ${client().client}`;
    const cutChain = async () => {
      await sql`delete from gold.chain_link where client_id = ${client().client}`;
      await sql`delete from gold.chain_tail where client_id = ${client().client}`;
      const { exit, json } = await operator.gold("ledger", "verify", "--heads", heads, "--json");
      return [exit, itemsOf(json)[0]!.detail];
    };
    // Try again if the service rebuilt the chain before the command read it. The service seals once a second.
    const deadlineMs = Date.now() + 30_000;
    let seen = await cutChain();
    while (seen[1] !== "the chain ends before this sequence number" && Date.now() < deadlineMs) {
      seen = await cutChain();
    }
    assertEquals(seen, [4, "the chain ends before this sequence number"]);
    await seal();
    assertEquals((await operator.gold("ledger", "verify")).exit, 0);
    const rewritten = await operator.gold("ledger", "verify", "--heads", heads, "--json");
    assertEquals([rewritten.exit, rewritten.json.defects], [4, 1]);
    assertEquals(
      [itemsOf(rewritten.json)[0]!.rule, itemsOf(rewritten.json)[0]!.subject],
      ["head_is_kept", `${client().clientId} sequence 2`],
    );
  });

  it("ledger verify --heads rejects a missing or malformed file", async () => {
    const verify = (file: string) => operator.gold("ledger", "verify", "--heads", file);
    const nowhere = operator.path("nowhere.json");
    const unread = `--heads: ${nowhere} cannot be read: ENOENT: no such file or directory`;
    refused(await verify(nowhere), 2, unread);
    refused(await operator.gold("recovery", "show", "--heads", nowhere), 2, unread);
    const head = { client_id: "sbx_a", sequence: "1", head: "00".repeat(32) };
    const none = ["", "[]", "null", "{}", '{"items":{}}', '{"items":[1]}'];
    const wrong = [{ ...head, sequence: "0" }, { ...head, head: "zz" }, { ...head, client_id: 1 }];
    for (const text of [...none, ...wrong.map((one) => JSON.stringify({ items: [one] }))]) {
      refused(await verify(await operator.write("none.json", text)), 2, "--heads");
    }
    const unknown = await verify(await operator.write("other.json", JSON.stringify({ items: [head] })));
    assertEquals(unknown.exit, 4);
  });
});
