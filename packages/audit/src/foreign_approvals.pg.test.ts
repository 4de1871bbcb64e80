import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type ApprovalDocument, parseOperatorKeys, SignedRegistry } from "@gold-partner/approvals";
import { testPostgres } from "@gold-partner/dev/postgres";
import {
  approveSigned,
  newSignatory,
  newTestKey,
  operatorKeysOf,
  type Proposed,
  proposeSigned,
  registerRootKeys,
  type Signatory,
  type TestBooks,
  testBooks,
} from "@gold-partner/server/testing";
import { assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import { dropLogins } from "../../../tools/testing/drop_logins.ts";
import { auditAt, connectAs } from "./audit_fixture.ts";

const PRICE = { source: "fixed", spread_basis_points: 60, stale_after_seconds: 10, url: null };
const SUFFIX = randomBytes(4).toString("hex");
const LOGINS = ["amal", "badr", "made_up_one", "made_up_two"].map((name) => `${name}_${SUFFIX}`);

/**
 * The same two people operate a sandbox and another deployment, with the same SSH keys. A superuser copies
 * what they signed in the sandbox.
 */
describe("approvals that two people signed for another deployment", () => {
  let server: Awaited<ReturnType<typeof testPostgres>>;
  let sandbox: TestBooks;
  let target: TestBooks;
  let partner: string;
  const connections: Sql[] = [];
  const keys = new Map<string, Signatory["key"]>();
  before(async () => {
    server = await testPostgres();
    sandbox = await testBooks(server);
    target = await testBooks(server);
    for (const login of LOGINS) {
      for (const { sql } of [sandbox, target]) await sql`select gold.add_operator(${login}, ${login})`;
      keys.set(login, (await newSignatory(connect(target, login))).key);
    }
    await sandbox.sql`select gold.renew_deployment_id()`;
    for (const { sql, url } of [sandbox, target]) {
      const maker = connect({ url }, LOGINS[0]!);
      await maker`select gold.set_price('fixed', 5020000, 5035060, 5004940, 60, 10, null)`;
      await maker`select gold.set_band(200, 500)`;
      const [one, two] = peopleOf({ url });
      await registerRootKeys(sql, one!, two!);
    }
    const client = await target.createClient();
    partner = (await target.sql`select public_id from gold.partner where id = ${client}`)[0]!.public_id;
  });
  after(async () => {
    for (const sql of connections) await sql.end({ timeout: 1 });
    await dropLogins(target.sql, ...LOGINS);
    await sandbox.stop();
    await target.stop();
    await server.stop();
  });

  function connect(books: Pick<TestBooks, "url">, login: string): Sql {
    const sql = connectAs(books, login);
    connections.push(sql);
    return sql;
  }
  const peopleOf = (books: Pick<TestBooks, "url">): Signatory[] =>
    LOGINS.map((login) => ({ login, sql: connect(books, login), key: keys.get(login)! }));

  /** Two people sign in the sandbox. */
  async function signInSandbox(kind: string, content: object): Promise<Proposed> {
    const [one, two] = peopleOf(sandbox);
    const proposal = await proposeSigned(one!, kind, content);
    await approveSigned(two!, proposal);
    return proposal;
  }
  /**
   * A superuser inserts the signed proposal, and approves it with the stored signature. `edit` changes the
   * copied row, so that the database takes it for a proposal of its own.
   */
  async function replay({ id }: Proposed, edit: object): Promise<string> {
    const [{ row, signature }] = await sandbox.sql<[{ row: object; signature: string }]>`
      select to_jsonb(p) || '{"state": "pending", "decided_by": null, "decided_at": null, "approver_signature": null}' as row,
        p.approver_signature as signature from gold.proposal p where p.id = ${id}::uuid`;
    return await target.sql.begin(async (sql) => {
      await sql`
        insert into gold.proposal select * from jsonb_populate_record(null::gold.proposal, ${
        sql.json({ ...row, ...edit } as never)
      }::jsonb)`;
      const [{ sha256 }] = await sql<[{ sha256: string }]>`
        select gold.proposal_sha256(p) as sha256 from gold.proposal p where p.id = ${id}::uuid`;
      for (const [action, login] of [["propose", LOGINS[0]], ["sign", LOGINS[0]]] as const) {
        await sql`
          select gold.note_as(${login!}, ${`proposal.${action}`}, ${id}, case ${action} when 'propose'
            then jsonb_build_object('kind', p.kind, 'sha256', ${sha256}::text)
            else gold.signed_with(p.proposer, p.proposer_signature) end)
          from gold.proposal p where p.id = ${id}::uuid`;
      }
      await sql.unsafe(`set local session authorization ${LOGINS[1]}`);
      await sql`select gold.approve_proposal(${id}::uuid, ${sha256}, ${signature})`;
    }).then(() => "done", ({ message }) => message);
  }
  const idOf = async ({ sql }: TestBooks): Promise<{ deployment: string }> => {
    const [row] = await sql`select id from gold.deployment`;
    return { deployment: row!.id };
  };
  const operatorKeys = async () => {
    const [one, two] = peopleOf(target);
    return await parseOperatorKeys(await operatorKeysOf(one!, two!));
  };
  async function findings(): Promise<readonly string[]> {
    const options = { operatorKeys: await operatorKeys(), rowsOnly: true, registryOnly: true };
    const { findings } = await auditAt(target.url, options);
    return findings.filter(({ rule }) => /approv/.test(rule)).map(({ rule, row }) =>
      `${rule} ${row.split(" ")[0]}`
    );
  }

  it("are refused by the database if their text names the other deployment", async () => {
    const price = await signInSandbox("price.set", { ...PRICE, mid: "500000" });
    const [from, to] = [await idOf(sandbox), await idOf(target)];
    assertEquals(
      await replay(price, {}),
      `the text of the proposal names the deployment ${from.deployment}, but this database is the deployment ${to.deployment}: propose the change here`,
    );
    assertEquals(await findings(), []);
  });

  it("are found by the audit if a superuser makes the database take a price for its own", async () => {
    const price = await signInSandbox("price.set", { ...PRICE, mid: "500000" });
    assertEquals(await replay(price, await idOf(target)), "done");
    const [row] = await target.sql`select mid::text from gold.price`;
    assertEquals(row!.mid, "500000");
    assertEquals(await findings(), ["approval_is_signed proposal"]);
  });

  it("let no invented people approve a deposit or a signing key", async () => {
    const [, , three, four] = peopleOf(target);
    for (const { login, key } of [three!, four!]) {
      const added = { login, public_key: key.publicKey.text };
      assertEquals(await replay(await signInSandbox("operator_key.add", added), await idOf(target)), "done");
    }
    const money = { client_id: partner, amount: "500000000", bank_reference: "OWN-1" };
    await approveSigned(four!, await proposeSigned(three!, "deposit.record", money));
    const { thumbprint, publicJwk } = await newTestKey();
    const key = { client_id: partner, thumbprint, kid: null, jwk: publicJwk };
    await approveSigned(four!, await proposeSigned(three!, "signing_key.add", key));
    const [read] = await target.sql`select gold.read_registry_approvals() as approvals`;
    const signed = await new SignedRegistry(await operatorKeys()).read(read!.approvals as ApprovalDocument);
    assertEquals(signed.valueOf(`signing_key ${partner} ${thumbprint}`), undefined);
    assertEquals(await findings(), [
      ...Array<string>(5).fill("approval_is_signed proposal"),
      ...Array<string>(2).fill("approval_is_signed operator_key"),
    ]);
  });
});
