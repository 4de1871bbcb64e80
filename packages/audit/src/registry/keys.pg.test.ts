import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { type AuditedBooks, auditedBooks } from "../books_fixture.ts";
import type { KeptKeys } from "../outside_files.ts";
import { auditAt } from "../audit_fixture.ts";

const OPERATORS = ["deployment", "operator", "operator_key"];

describe("the file of gold audit keys", () => {
  let audited: AuditedBooks;
  let keys: KeptKeys;
  const audit = (kept?: KeptKeys) =>
    auditAt(audited.books.url, { rowsOnly: true, registryOnly: true, ...(kept ? { keys: kept } : {}) });
  const findings = async (kept: KeptKeys) =>
    (await audit(kept)).findings.map(({ rule, row }) => `${rule} ${row}`);
  before(async () => {
    audited = await auditedBooks();
    ({ keys } = await audit());
  });
  after(() => audited.stop());

  it("names the deployment, and lists the operators with their roles and their active keys", async () => {
    const [row] = await audited.books.sql`select id from gold.deployment`;
    const listed = keys.items.filter(({ kind }) => OPERATORS.includes(kind)).map(({ kind, name }) =>
      `${kind} ${name}`
    );
    const [, ...lines] = audited.operatorKeys.trimEnd().split("\n");
    const logins = lines.map((line) => line.split(" ")[0]);
    assertEquals(listed, [
      `deployment ${row!.id}`,
      ...logins.map((login) => `operator ${login} treasury,credentials,pricing,keys,audit`).sort(),
      ...lines.map((line) => `operator_key ${line}`).sort(),
    ]);
    assertEquals(await findings(keys), []);
  });

  it("finds another operator key or deployment, and accepts a file of 0.5.0, which lists neither", async () => {
    const without = (kind: string) => ({ ...keys, items: keys.items.filter((one) => one.kind !== kind) });
    assertEquals((await findings(without("operator_key"))).length, 2);
    const other = keys.items.map((one) => one.kind === "deployment" ? { ...one, name: "another" } : one);
    assertEquals((await findings({ ...keys, items: other })).length, 2);
    const items = keys.items.filter(({ kind }) => !OPERATORS.includes(kind));
    assertEquals(await findings({ ...keys, items }), []);
  });
});
