import { execFileSync } from "node:child_process";
import { readdir, readFile, rm } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { match, ok } from "node:assert/strict";
import { assertEquals } from "@std/assert";
import { proposeUnsigned } from "../../../../../tools/testing/by_two.ts";
import { makeSshKey } from "../../../../../tools/testing/operator_keys.ts";
import { type Run, runGold } from "../../gold_fixture.ts";
import { keepRequest } from "../credentials/authority_fixture.ts";
import { assertRefused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

/** Two people sign with the real ssh-keygen. */
describe("gold with operators' SSH keys", () => {
  let operator: TestOperator;
  before(async () => {
    operator = await testOperator();
    for (const name of ["first", "second", "third"]) makeSshKey(operator.path(name));
  });
  after(() => operator?.stop());

  const first = (...argv: string[]): Promise<Run> =>
    runGold([...argv, "--json", "--yes"], { env: { ...operator.env, GOLD_SSH_KEY: operator.path("first") } });
  const second = (...argv: string[]): Promise<Run> =>
    runGold([...argv, "--json", "--yes", "--ssh-key", operator.path("second")], {
      env: operator.colleague.env,
    });
  const pending = async () => itemsOf(await operator.done("proposal", "list", "--status", "pending")).length;
  const done = async (run: Promise<Run>) => {
    const made = await run;
    assertEquals(made.exit, 0, made.err);
    return made.json;
  };

  it("registers the first keys with `gold db migrate`, and refuses other files", async () => {
    const [one, two] = [operator.login, operator.colleague.login];
    const migrate = (...keys: string[]) =>
      runGold(["db", "migrate", ...keys.flatMap((key) => ["--operator-key", key]), "--json"], {
        env: { DATABASE_URL: operator.service.books.url },
      });
    assertRefused(await migrate(`${one}=${operator.path("first")}`), 2, "Give the public key");
    assertRefused(await migrate(one), 2, "--operator-key must be LOGIN=FILE");
    const rsa = await operator.write("rsa.pub", "ssh-rsa AAAAB3NzaC1yc2E= x\n");
    assertRefused(await migrate(`${one}=${rsa}`), 2, "Keys of type ssh-rsa are not supported");
    const files = [`${one}=${operator.path("first.pub")}`, `${two}=${operator.path("second.pub")}`];
    assertEquals((await done(migrate(...files))).operator_keys, 2);
    assertRefused(await migrate(...files), 1, "the first operator keys are registered already");
    const keys = itemsOf(await operator.done("operator", "key", "list"));
    assertEquals(
      keys.map(({ login, status, admitted_by }) => [login, status, admitted_by]).sort(),
      [
        [one, "active", "root"],
        [two, "active", "root"],
      ].sort(),
    );
  });

  it("signs a proposal and its approval, and says by whose key the proposal holds", async () => {
    const { proposal_id: id, sha256 } = await done(first("price", "set", "--mid", "321")) as Record<
      string,
      string
    >;
    const shown = await operator.colleague.done("proposal", "show", id!);
    match(`${shown.signed_by}`, new RegExp(`^${operator.login} SHA256:`));
    assertRefused(
      await operator.colleague.gold("proposal", "approve", id!, "--yes", "--sha256", sha256!),
      2,
      "GOLD_SSH_KEY is not set",
    );
    await done(second("proposal", "approve", id!, "--sha256", sha256!));
    assertEquals((await operator.done("price", "show")).mid, "321");
    const [row] = await operator.service.books.sql`
      select proposer, decided_by, canonical_text, proposer_signature, approver_signature, deployment from gold.proposal_overview
      where id = ${id!}`;
    const verify = (person: string, key: string, namespace: string, signature: string, text: string) => {
      const files = [operator.path(`${key}.signers`), operator.path(`${key}.sig`)] as const;
      execFileSync("sh", ["-c", 'printf "%s" "$1" > "$2"', "sh", signature, files[1]]);
      execFileSync("sh", [
        "-c",
        'echo "$1 $(cat "$2")" > "$3"',
        "sh",
        person,
        operator.path(`${key}.pub`),
        files[0],
      ]);
      const args = ["-Y", "verify", "-f", files[0], "-I", person, "-n", namespace, "-s", files[1]];
      return `${execFileSync("ssh-keygen", args, { input: text })}`;
    };
    const { proposer, decided_by, canonical_text, proposer_signature, approver_signature, deployment } = row!;
    match(
      verify(proposer, "first", "gold-proposal", proposer_signature, canonical_text),
      /^Good "gold-proposal"/,
    );
    const approval = `gold approval 2\n${deployment}\n${id}\n${sha256}\n${decided_by}\n`;
    match(
      verify(decided_by, "second", "gold-approval", approver_signature, approval),
      /^Good "gold-approval"/,
    );
  });

  it("signs only for the deployment of the person's own file, whatever the database says", async () => {
    const { sql } = operator.service.books;
    const [{ id }] = await sql<[{ id: string }]>`select id from gold.deployment`;
    const before = await pending();
    const propose = (more: Readonly<Record<string, string>> = {}) =>
      runGold(["price", "set", "--mid", "325", "--json"], {
        env: { ...operator.env, GOLD_SSH_KEY: operator.path("first"), ...more },
      });
    const keys = await Promise.all(["first.pub", "second.pub"].map((name) => operator.read(name)));
    const lines = [operator.login, operator.colleague.login].map((login, index) => `${login} ${keys[index]}`);
    const fileOf = (deployment: string) =>
      operator.write(
        "own_keys",
        `# deployment ${deployment} https://api.example.com Riyadh\n${lines.join("")}`,
      );
    const other = id.replace("sandbox", "production");
    const refused = await propose({ OPERATOR_KEYS: await fileOf(other) });
    assertRefused(
      refused,
      1,
      `names the deployment ${other} (Riyadh, https://api.example.com), but the database is`,
    );
    await sql`update gold.deployment set id = ${other}`;
    assertRefused(await propose(), 2, "without the file gold signs only for a sandbox");
    await sql`update gold.deployment set id = ${id}`;
    assertEquals(await pending(), before);
    const shown = `You sign for Riyadh, https://api.example.com, deployment ${id}.`;
    const made = await propose({ OPERATOR_KEYS: await fileOf(id) });
    assertEquals([made.exit, made.err], [0, shown]);
    await sql`update gold.deployment set id = ${other}`;
    assertRefused(
      await second("proposal", "approve", `${made.json.proposal_id}`, "--sha256", `${made.json.sha256}`),
      2,
      "without the file gold signs only for a sandbox",
    );
    await sql`update gold.deployment set id = ${id}`;
    await done(first("proposal", "reject", `${made.json.proposal_id}`));
  });

  it("withdraws a proposal that could not be signed, and says why", async () => {
    const locked = operator.path("locked");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "secret", "-f", locked]);
    makeSshKey(operator.path("in_agent"));
    await rm(operator.path("in_agent"));
    const broken = await operator.write("broken", "no key");
    const before = await pending();
    // Without a terminal and a display, nobody can be asked for a passphrase.
    for (
      const [key, code] of [
        [locked, "passphrase_wrong"],
        [operator.path("absent"), "key_absent"],
        [operator.path("in_agent.pub"), "agent_failed"],
        [broken, "not_signed"],
      ]
    ) {
      const words = ["price", "set", "--mid", "322", "--json", "--ssh-key", key!];
      const failed = await runGold(words, { env: operator.env });
      assertEquals([failed.exit, failed.problem.code], [3, code], failed.err);
      ok(failed.problem.detail.endsWith("Nothing was proposed."), failed.err);
    }
    assertEquals(await pending(), before);
  });

  it("signs the proposal of a command that was killed before it signed", async () => {
    const { id, sha256 } = await proposeUnsigned(operator.url);
    assertRefused(await second("proposal", "approve", id, "--sha256", sha256), 1, "has not signed it");
    assertEquals((await done(first("proposal", "sign", id))).status, "signed");
    await done(second("proposal", "approve", id, "--sha256", sha256));
  });

  it("shows the deployment before it asks whether to sign", async () => {
    const { id } = await proposeUnsigned(operator.url);
    const shown: string[] = [];
    const declined = await runGold(["proposal", "sign", id, "--ssh-key", operator.path("first")], {
      env: operator.env,
      err: (text) => shown.push(text),
      ask: (question) => {
        shown.push(question);
        return Promise.resolve(false);
      },
    });
    assertEquals(declined.exit, 1);
    const [sandbox, question] = [/^You sign for sandbox, /, /^Sign this market\.set/].map((line) =>
      shown.findIndex((text) => line.test(text))
    ) as [number, number];
    ok(sandbox >= 0 && sandbox < question, shown.join("\n"));
    await done(first("proposal", "reject", id));
  });

  it("withdraws a proposal that was signed with a key of nobody", async () => {
    const failed = await runGold(
      ["price", "set", "--mid", "324", "--json", "--ssh-key", operator.path("third")],
      { env: operator.env },
    );
    assertRefused(failed, 1, "which is not an active key of the login");
    ok(failed.problem.detail.endsWith("Nothing was proposed."), failed.err);
  });

  it("keeps no key and no certificate of a proposal that could not be signed", async () => {
    const broken = await operator.write("broken", "no key");
    const refuse = async (...argv: string[]) => {
      const failed = await runGold([...argv, "--json", "--yes", "--ssh-key", broken], { env: operator.env });
      assertRefused(failed, 3, "Nothing was proposed.");
    };
    const { clientId } = operator.service.partner;
    const make = ["ca", "init", "--key", operator.path("ca.key")];
    await refuse(...make);
    const { proposal_id: id, sha256 } = await done(first(...make)) as Record<string, string>;
    await done(second("proposal", "approve", id!, "--sha256", sha256!));
    const csr = await keepRequest(operator, clientId);
    await refuse("cert", "issue", clientId, "--csr", csr, "--out", operator.path("tls.crt"));
    const left = (await readdir(operator.path("."))).filter((name) => name.includes("tls.crt"));
    assertEquals(left, []);
  });

  it("refuses to approve a proposal whose signature a superuser replaced", async () => {
    const { proposal_id: id, sha256 } = await done(first("price", "set", "--mid", "323")) as Record<
      string,
      string
    >;
    const { sql } = operator.service.books;
    await sql.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      await transaction`
        update gold.proposal set content = content || '{"mid": "2"}' where id = ${id!}::uuid`;
    });
    const text = (await sql`select sha256 from gold.proposal_overview where id = ${id!}`)[0]!
      .sha256 as string;
    ok(text !== sha256);
    assertRefused(
      await second("proposal", "approve", id!, "--sha256", text),
      4,
      "The signature of the proposal is invalid",
    );
  });

  it("adds a key by two people and ends it by one", async () => {
    const added = await done(first("operator", "key", "add", "amal", operator.path("third.pub"))) as Record<
      string,
      string
    >;
    const shown = await operator.colleague.done("proposal", "show", added.proposal_id!);
    match(`${shown.consequences}`, /amal signs proposals and approvals with this key/);
    await done(second("proposal", "approve", added.proposal_id!, "--sha256", added.sha256!));
    const key = itemsOf(await operator.done("operator", "key", "list")).find(({ login }) =>
      login === "amal"
    )!;
    assertEquals(key.admitted_by, added.proposal_id);
    assertEquals(key.public_key, (await readFile(operator.path("third.pub"), "utf8")).trim());
    await done(second("operator", "key", "end", `${key.fingerprint}`));
    assertRefused(await first("operator", "key", "end", `${key.fingerprint}`), 1, "ended already");
  });
});
