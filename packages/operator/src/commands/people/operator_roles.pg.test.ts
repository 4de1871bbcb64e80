import { after, before, describe, it } from "node:test";
import { randomBytes } from "node:crypto";
import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { type Run, runGold } from "../../gold_fixture.ts";
import { ROLES } from "../../roles.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { dropLogins } from "../../../../../tools/testing/drop_logins.ts";

/** A command that needs the role pricing. */
const SET_PRICE = ["price", "set", "--mid", "500", "--spread", "60", "--source", "fixed"];

describe("the roles of operators", () => {
  let operator: TestOperator;
  let clientId: string;
  const made: string[] = [];
  before(async () => {
    operator = await testOperator();
    clientId = (await operator.service.addPartner()).clientId;
  });
  after(async () => {
    if (made.length > 0) await dropLogins(operator.service.books.sql, ...made);
    await operator.stop();
  });

  // The superuser of the test database is the migration login, and proposes what needs another person.
  const asMigration = (...argv: string[]): Promise<Run> =>
    runGold([...argv, "--json", "--yes"], {
      env: {
        ...operator.env,
        DATABASE_URL: operator.service.books.url,
        MIGRATION_DATABASE_URL: operator.service.books.url,
      },
    });
  const newName = () => {
    made.push(`person_${randomBytes(6).toString("hex")}`);
    return made.at(-1)!;
  };
  async function added(...roles: string[]) {
    const name = newName();
    const { exit, err, json } = await asMigration("operator", "add", name, "--roles", roles.join());
    assertEquals([exit, err], [0, ""]);
    const env = { ...operator.env, DATABASE_URL: json.database_url as string };
    const gold = (...argv: string[]) => runGold([...argv, "--json", "--yes"], { env });
    return { name, url: env.DATABASE_URL, gold };
  }
  const rolesOf = async (name: string) =>
    itemsOf(await operator.done("operator", "list")).find(({ login }) => login === name)?.roles;

  it("are given by add, shown by list, and replaced by set", async () => {
    const { name } = await added("keys", "treasury");
    assertEquals(await rolesOf(name), ["treasury", "keys"]);
    assertEquals((await asMigration("operator", "set", name, "--roles", "audit")).json, {
      login: name,
      roles: ["audit"],
    });
    assertEquals(await rolesOf(name), ["audit"]);
    const notes = await operator.service.books.sql`
      select detail from gold.audit where subject = ${name} and action = 'operator.set'`;
    assertEquals(notes.map(({ detail }) => detail), [
      { mode: "single_operator", before: ["treasury", "keys"], roles: ["audit"] },
    ]);
    assertEquals((await asMigration("operator", "set", name, "--roles", "audit")).exit, 0);
    refused(
      await asMigration("operator", "set", name, "--roles", "boss"),
      2,
      "--roles must be some of treasury,",
    );
    refused(await asMigration("operator", "set", name), 2, "--roles is missing");
    refused(
      await asMigration("operator", "set", "nobody_here", "--roles", "audit"),
      1,
      "there is no operator nobody_here",
    );
    refused(
      await runGold(["operator", "set", name, "--roles", "keys"], { env: operator.env }),
      1,
      "MIGRATION_DATABASE_URL",
    );
  });

  it("are all of them for a login that 0.4.0 created, until set takes some away", async () => {
    const { login } = operator.colleague;
    assertEquals(await rolesOf(login), [...ROLES]);
    await asMigration("operator", "set", login, "--roles", "pricing");
    assertEquals(await rolesOf(login), ["pricing"]);
    const priced = await operator.colleague.gold(...SET_PRICE);
    assertEquals(priced.exit, 0);
    refused(
      await operator.colleague.gold("partner", "suspend", clientId, "--json", "--yes"),
      1,
      "one of the roles treasury, credentials",
    );
  });

  it("are named by every refusal, with exit code 1, and never by a bare permission error", async () => {
    const audit = await added("audit");
    const words = `This command needs the role pricing, which the login ${audit.name} does not have`;
    refused(await audit.gold(...SET_PRICE), 1, words);
    assertEquals((await audit.gold(...SET_PRICE)).problem.code, "not_permitted");
    refused(
      await audit.gold("deposit", "record", clientId, "--amount", "5", "--bank-ref", "X"),
      1,
      "the role treasury",
    );
    refused(await audit.gold("partner", "set", clientId, "--rate", "9/s"), 1, "the role credentials");
    refused(await (await added("pricing")).gold("audit", "list"), 1, "one of the roles treasury, audit");
    for (
      const read of [["partner", "list"], ["audit", "verify"], ["ledger", "verify"], ["price", "show"], [
        "operator",
        "list",
      ]]
    ) {
      const { exit, err } = await audit.gold(...read);
      assertEquals([read.join(" "), exit, err], [read.join(" "), 0, ""]);
    }
  });

  describe("under two people", () => {
    before(async () => void await operator.service.books.sql`select gold.require_two_people()`);
    const propose = async (...argv: string[]) => {
      const { exit, err, json } = await asMigration(...argv);
      assertEquals([exit, err], [0, ""]);
      return json as { proposal_id: string; sha256: string };
    };

    it("must be named for a new login, and another person with the role keys approves them", async () => {
      const keys = await person("keys");
      const pricing = await person("pricing");
      refused(
        await asMigration("operator", "add", newName()),
        1,
        "add --roles with some of treasury,credentials",
      );
      const name = newName();
      const { proposal_id, sha256 } = await propose("operator", "add", name, "--roles", "treasury");
      const approve = ["proposal", "approve", proposal_id, "--sha256", sha256];
      refused(
        await pricing.gold(...approve),
        1,
        "a change of the kind operator.add needs the role keys, which the login",
      );
      assertEquals((await keys.gold(...approve)).exit, 0);
      // The approval names the roles, so it allows no others.
      assertEquals(
        Object.keys((await asMigration("operator", "add", name, "--roles", "keys")).json)[0],
        "proposal_id",
      );
      const { json } = await asMigration("operator", "add", name, "--roles", "treasury");
      assertEquals(json.login, name);
      assertEquals(await rolesOf(name), ["treasury"]);
    });

    it("are taken away by one person, and given only with an approval, once", async () => {
      const keys = await person("keys");
      const someone = await person("treasury", "pricing");
      assertEquals((await asMigration("operator", "set", someone.name, "--roles", "pricing")).json.roles, [
        "pricing",
      ]);
      const { proposal_id, sha256 } = await propose("operator", "set", someone.name, "--roles", "audit");
      assertEquals(await rolesOf(someone.name), ["pricing"]);
      const shown = await keys.gold("proposal", "show", proposal_id);
      assertEquals([shown.exit, shown.err], [0, ""]);
      assertEquals((await keys.gold("proposal", "approve", proposal_id, "--sha256", sha256)).exit, 0);
      assertEquals((await asMigration("operator", "set", someone.name, "--roles", "audit")).json.roles, [
        "audit",
      ]);
      const back = await asMigration("operator", "set", someone.name, "--roles", "pricing");
      assertEquals(Object.keys(back.json)[0], "proposal_id");
    });

    it("let a login read the content only of its own proposals and of those that its roles decide", async () => {
      const [treasury, pricing, audit] = [
        await person("treasury"),
        await person("pricing"),
        await person("audit"),
      ];
      const iban = ["partner", "set", clientId, "--iban", "SA4420000001234567891234"];
      const { proposal_id: id } = (await treasury.gold(...iban)).json as { proposal_id: string };
      const show = ["proposal", "show", id];
      refused(
        await pricing.gold(...show),
        1,
        `a change of the kind partner.iban needs the role treasury, which the login ${pricing.name} does not have`,
      );
      for (const reader of [treasury, audit]) assertEquals((await reader.gold(...show)).exit, 0);
      assertEquals(itemsOf((await pricing.gold("proposal", "list")).json).at(-1)!.proposal_id, id);
      const sql = postgres(pricing.url, { max: 1, onnotice: () => {} });
      const [row] =
        await sql`select content, canonical_text from gold.proposal_overview where id = ${id}::uuid`;
      assertEquals({ ...row }, { content: null, canonical_text: null });
      await sql.end();
      assertEquals((await pricing.gold("proposal", "reject", id)).exit, 0);
      const { proposal_id: own } = await propose(...SET_PRICE);
      assertEquals((await pricing.gold("proposal", "show", own)).exit, 0);
      await pricing.gold("proposal", "reject", own);
    });

    it("limit what a login may propose and approve, even without gold", async () => {
      const treasury = await person("treasury");
      const { proposal_id, sha256 } = await propose(...SET_PRICE);
      const sql = postgres(treasury.url, { max: 1, onnotice: () => {} });
      for (
        const [kind, call] of [
          ["market.open", sql`select gold.propose('market.open', '{}')`],
          ["price.set", sql`select gold.approve_proposal(${proposal_id}::uuid, ${sha256})`],
        ] as const
      ) {
        const { code, message } = await call.catch((error) => error);
        assertEquals([code, message], [
          "GR403",
          `a change of the kind ${kind} needs the role pricing, which the login ${treasury.name} does not have`,
        ]);
      }
      await sql.end();
      await operator.done("proposal", "reject", proposal_id);
    });

    /** Adds a login with the approval of the first operator, who has all roles. */
    async function person(...roles: string[]) {
      const name = newName();
      const { proposal_id, sha256 } = await propose("operator", "add", name, "--roles", roles.join());
      await operator.done("proposal", "approve", proposal_id, "--sha256", sha256);
      const { json } = await asMigration("operator", "add", name, "--roles", roles.join());
      const env = { ...operator.env, DATABASE_URL: json.database_url as string };
      return {
        name,
        url: env.DATABASE_URL,
        gold: (...argv: string[]) => runGold([...argv, "--json", "--yes"], { env }),
      };
    }
  });
});
