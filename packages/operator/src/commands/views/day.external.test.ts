import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { makeSshKey, registerOperatorKeys } from "../../../../../tools/testing/operator_keys.ts";
import { temporaryFolder } from "../../../../../tools/testing/temporary_folder.ts";
import { openConsole } from "../../console/console_fixture.ts";
import { type Run, runGold } from "../../gold_fixture.ts";
import { assertRefused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

/** People sign the end of a day with the real ssh-keygen. */
describe("gold day sign", () => {
  let operator: TestOperator;
  before(async () => {
    operator = await testOperator();
    makeSshKey(operator.path("alone"));
  });
  after(() => operator?.stop());

  type Who = TestOperator | TestOperator["colleague"];
  const withKey = (name: string, { env }: Who, ...argv: string[]): Promise<Run> =>
    runGold([...argv, "--json", "--yes"], { env: { ...env, GOLD_SSH_KEY: operator.path(name) } });
  const asPerson = (who: Who, ...argv: string[]) => withKey(who.login, who, ...argv);
  const recorded = async () =>
    itemsOf(await operator.done("audit", "list")).filter(({ action }) => action === "day.sign");
  /** The day in Riyadh. */
  const today = async () => {
    const [row] = await operator.service.books
      .sql`select (now() at time zone 'Asia/Riyadh')::date::text as day`;
    return row!.day as string;
  };
  /** Checks the file as a person without gold does. Returns its SHA-256. */
  const verify = (file: string): string => {
    const text = readFileSync(file);
    const args = ["-Y", "check-novalidate", "-n", "gold-day", "-s", `${file}.sig`];
    assertMatch(`${execFileSync("ssh-keygen", args, { input: text })}`, /^Good "gold-day" signature/);
    const { version, deployment, login, begins_at, signed_at, trades, position, stock, checks } = JSON.parse(
      `${text}`,
    );
    assert(
      [deployment, begins_at, signed_at, trades, position, stock, checks].every((one) => one !== undefined),
    );
    assertEquals([version, login], [1, operator.login]);
    return createHash("sha256").update(text).digest("hex");
  };

  it("records the day and the hash of the file in the audit", async () => {
    const file = operator.path("one.json");
    const signed = await withKey("alone", operator, "day", "sign", "--out", file);
    assertEquals(signed.exit, 0, signed.err);
    const sha256 = verify(file);
    assertEquals([signed.json.sha256, signed.json.file_sha256], [sha256, sha256]);
    const [row, ...more] = await recorded();
    assertEquals([row!.subject, row!.login, more], [await today(), operator.login, []]);
    assertEquals(JSON.parse(`${row!.detail}`), { mode: "single_operator", sha256 });
  });

  it("from the console leaves its files in the folder in which the person started it", async () => {
    const folder = temporaryFolder("gold-day");
    const env = { ...operator.env, GOLD_SSH_KEY: operator.path("alone"), INIT_CWD: folder };
    const console = await openConsole(env);
    const person = await console.enter();
    const inputOf = (text: string, name: string) =>
      new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(text)![1]!;
    let page = (await console.get("/do/day/sign", person)).text;
    page = (await console.post("/do/day/sign", { form: inputOf(page, "form") }, person)).text;
    const given = { form: inputOf(page, "form"), question: inputOf(page, "question"), answer: "yes" };
    const { headers } = await console.post("/do/day/sign", given, person);
    const done = (await console.get(`${headers.location}`, person, "")).text;
    const names = readdirSync(folder).toSorted();
    assertEquals(names.map((name) => name.replace(/^[-0-9T.]+Z-/, "")), ["day.json", "day.json.sig"], done);
    const links = [...done.matchAll(/href="\.(\/file\/[^"]+)"/g)].map(([, path]) => path!);
    const [text, signature] = await Promise.all(
      links.map(async (path) => (await console.get(path, person)).text),
    );
    await console.stop();
    const file = join(folder, names[0]!);
    assertEquals([text, signature], [readFileSync(file, "utf8"), readFileSync(`${file}.sig`, "utf8")]);
    const sha256 = verify(file);
    assertEquals((await recorded()).some(({ detail }) => `${detail}`.includes(sha256)), true);
  });

  it("is recorded under two people only when another person has signed the same file", async () => {
    const { books: { sql } } = operator.service;
    const migrate = async (words: string, ...more: string[]) =>
      (await runGold([words, ...more, "--json"], { env: { DATABASE_URL: operator.service.books.url } })).json;
    await registerOperatorKeys(migrate, operator.path(""), [operator.login, operator.colleague.login]);
    const file = operator.path("two.json");
    const proposed = await asPerson(operator, "day", "sign", "--out", file);
    assertEquals(proposed.exit, 0, proposed.err);
    const file_sha256 = verify(file);
    const { proposal_id: id, sha256, ...rest } = proposed.json as Record<string, string>;
    assertEquals(rest.file_sha256, file_sha256);
    assertEquals((await recorded()).filter(({ detail }) => `${detail}`.includes("proposal")), []);
    assertRefused(await asPerson(operator, "proposal", "approve", id!, "--sha256", sha256!), 1, "another");
    const { changes, consequences, signed_by } = await operator.colleague.done("proposal", "show", id!) as {
      changes: { member: string; proposed: string }[];
    } & Record<string, string>;
    assert(consequences!.includes(file_sha256), consequences);
    assertMatch(signed_by!, new RegExp(`^${operator.login} SHA256:`));
    const shown = Object.fromEntries(changes.map(({ member, proposed }) => [member, proposed]));
    assertMatch(shown.trades!, /orders 0/);
    assertMatch(shown.checks!, /point proposals/);
    const approved = await asPerson(operator.colleague, "proposal", "approve", id!, "--sha256", sha256!);
    assertEquals(approved.exit, 0, approved.err);
    const [row] = await recorded();
    assertEquals([row!.subject, row!.login], [await today(), operator.colleague.login]);
    assertEquals(JSON.parse(`${row!.detail}`), { proposal: id, sha256: file_sha256 });
    const [signatures] =
      await sql`select proposer_signature, approver_signature from gold.proposal where id = ${id!}`;
    assert(signatures!.proposer_signature && signatures!.approver_signature);
  });

  it("is refused for another day, another deployment or an unreadable document, and leaves no file", async () => {
    const { books: { sql } } = operator.service;
    const day = await today();
    const [{ id, begins_at }] = await sql<[{ id: string; begins_at: string }]>`
      select id, gold.instant_text(${day}::text::date::timestamp at time zone 'Asia/Riyadh') as begins_at from gold.deployment`;
    const right = { deployment: id, begins_at };
    const wrong: readonly (readonly [string, string])[] = [
      [day, "x"],
      [day, "[]"],
      [day, JSON.stringify({ ...right, deployment: "other" })],
      [day, JSON.stringify({ ...right, begins_at: "2026-01-31T21:00:00.000Z" })],
      ["2999-01-01", JSON.stringify({ ...right, begins_at: "2998-12-31T21:00:00.000Z" })],
      ["yesterday", JSON.stringify(right)],
      ["9999999999-01-01", JSON.stringify(right)],
    ];
    for (const [stated, document] of wrong) {
      const said = await sql`select gold.propose('day.sign', ${sql.json({ day: stated, document })}::jsonb)`
        .then(() => "proposed", ({ code, message }) => `${code} ${message}`);
      assertEquals(
        said,
        `GR409 the document must be that of the day ${stated} in this deployment, which has begun`,
      );
    }
    const file = operator.path("three.json");
    await sql.unsafe(
      `revoke gold_operator from ${operator.login}; grant gold_pricing, gold_audit to ${operator.login}`,
    );
    const refused = await asPerson(operator, "day", "sign", "--out", file);
    assertEquals([refused.exit, refused.problem.code], [1, "not_permitted"], refused.err);
    assertEquals([existsSync(file), existsSync(`${file}.sig`)], [false, false]);
    await sql.unsafe(
      `grant gold_operator to ${operator.login}; revoke gold_pricing, gold_audit from ${operator.login}`,
    );
  });
});
