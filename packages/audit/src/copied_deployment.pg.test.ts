import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import {
  type ApprovalDocument,
  type OperatorKeys,
  parseOperatorKeys,
  requireDeployment,
  SignedRegistry,
} from "@gold-partner/approvals";
import {
  approveSigned,
  newSignatory,
  operatorKeysOf,
  type Proposed,
  proposeSigned,
  registerRootKeys,
  type Signatory,
  type TestBooks,
  testBooks,
} from "@gold-partner/server/testing";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { dropLogins } from "../../../tools/testing/drop_logins.ts";
import { auditAt, connectAs } from "./audit_fixture.ts";

const LOGINS = ["amal", "badr"].map((name) => `${name}_${randomBytes(4).toString("hex")}`);
const ADOPTED = "client_secret";

/** Two people sign in the original. Then the database gets a new id, as a copy does. */
describe("a copy of a deployment", () => {
  let copy: TestBooks;
  let people: [Signatory, Signatory];
  let original: string;
  let pending: Proposed;
  let file: string;
  let earlier: string;
  before(async () => {
    copy = await testBooks();
    people = await Promise.all(LOGINS.map(async (login) => {
      await copy.sql`select gold.add_operator(${login}, ${login})`;
      return await newSignatory(connectAs(copy, login));
    })) as [Signatory, Signatory];
    await registerRootKeys(copy.sql, ...people);
    original = await operatorKeysOf(...people);
    await approve(await adopt("kept"));
    pending = await adopt("pending");
    const [row] = await copy.sql`
      select id, earlier, gold.instant_text(ended_at) as at, audit_id::text, head from gold.renew_deployment_id()`;
    earlier = row!.earlier;
    const line = `# earlier deployment ${earlier} until ${row!.at} ${row!.audit_id} ${row!.head}`;
    file = `${line}\n${await operatorKeysOf(...people)}`;
  });
  after(async () => {
    for (const { sql } of people) await sql.end({ timeout: 1 });
    await dropLogins(copy.sql, ...LOGINS);
    await copy.stop();
  });

  const adopt = (name: string) =>
    proposeSigned(people[0], "registry.adopt", { rows: [[`${ADOPTED} ${name}`, ""]] });
  const approve = (proposal: Proposed) => approveSigned(people[1], proposal);
  const read = async () => {
    const [row] = await copy.sql`select gold.read_registry_approvals() as approvals`;
    return row!.approvals as ApprovalDocument;
  };
  async function signed(name: string, keys?: OperatorKeys): Promise<boolean> {
    const rows = await new SignedRegistry(keys ?? await parseOperatorKeys(file)).read(await read());
    return rows.has([`${ADOPTED} ${name}`, ""]);
  }
  async function findings(text = file): Promise<readonly string[]> {
    const operatorKeys = await parseOperatorKeys(text);
    const { findings } = await auditAt(copy.url, { operatorKeys, rowsOnly: true, registryOnly: true });
    return findings.map(({ rule, found }) => `${rule} ${found}`);
  }
  /** A superuser stores an approval that two people signed in the original, after the copy was made. */
  async function store(proposal: Proposed): Promise<void> {
    await copy.sql.begin(async (sql) => {
      const [row] = await sql`select id from gold.deployment`;
      await sql`update gold.deployment set id = ${proposal.deployment}`;
      const [, two] = people;
      await sql.unsafe(`set local session authorization ${two.login}`);
      await approveSigned({ ...two, sql: sql as never }, proposal);
      await sql.unsafe("set local session authorization default");
      await sql`update gold.deployment set id = ${row!.id}`;
    });
  }

  it("counts what was signed before its id and under it, and keeps a clean audit", async () => {
    assertEquals(await findings(), []);
    await approve(await adopt("new"));
    assertEquals([await signed("kept"), await signed("new"), await findings()], [true, true, []]);
    requireDeployment(await parseOperatorKeys(file), await read());
  });

  it("refuses the file of the original, and a pending proposal of the original", async () => {
    const keys = await parseOperatorKeys(original);
    const document = await read();
    assertThrows(() => requireDeployment(keys, document), Error, "but the database is the deployment");
    const verdict = await approve(pending).then(() => "done", ({ message }) => message);
    assertMatch(
      verdict,
      /^the text of the proposal names the deployment sandbox-.+: propose the change here$/,
    );
    assertMatch((await findings(original)).join(), /^approval_is_signed .+must name/);
  });

  it("finds another end of the earlier id than that of the file", async () => {
    const found = await findings(file.replace(/[0-9a-f]{64}/, "0".repeat(64)));
    assertMatch(found.join(), /^head_is_kept [0-9a-f]{64}$/);
  });

  it("counts no approval of the original from after the copy, in the audit and in the programs", async () => {
    await store(pending);
    assertEquals(await findings(), [
      `approval_is_signed The approval is later than the end of the deployment ${earlier}.`,
    ]);
    await copy.sql`update gold.deployment set id = ${earlier}`;
    const late = await adopt("late");
    await copy.sql`update gold.deployment set id = ${(await parseOperatorKeys(file)).deployment.id}`;
    await store(late);
    assertEquals(await signed("late"), false);
    assertEquals((await findings()).slice(1), [
      `approval_is_signed The proposal is later than the end of the deployment ${earlier}.`,
    ]);
  });
});
