import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { asOperator, newKeyFiles, type Operator } from "@gold-partner/dev";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { operatorKeyFile } from "@gold-partner/operator";
import postgres, { type Sql } from "postgres";
import { expectsOf } from "../../tools/testing/by_two.ts";
import { deploymentLine } from "../../tools/testing/operator_keys.ts";
import { Stack } from "../contract/stack_fixture.ts";
import {
  certificateOf,
  certify,
  fingerprintOf,
  foreignSigner,
  type Forged,
  stackSigner,
} from "../sidecar/certificate_fixture.ts";
import { expectRefused, hostOf, requestText, visit } from "../sidecar/visit_fixture.ts";
import { runGold } from "../fixtures/gold.ts";

const NEEDS_TWO = /this change needs two people/;
const OWN = /you proposed this change, so another login has to approve it/;

/**
 * One operator of a deployment that needs two people tries to become a partner, through the real Envoy. The
 * other attacks, with `gold` and in SQL, are in packages/operator/src/commands/people/one_login.pg.test.ts.
 */
describe("one operator against the whole service", () => {
  let stack: Stack;
  /** The attacker, whose login and signing key are those of the first operator. */
  let gold: Operator;
  let login: Sql;
  let migration: string;
  let partner: string;
  before(async () => {
    stack = await Stack.open({ envoy: true });
    const { state } = stack.running;
    const run = JSON.parse(await readFile(state.path("run.json"), "utf8")) as Record<string, string>;
    migration = (await readFile(state.path("keys", "migration_database_url"), "utf8")).trim();
    [gold] = stack.people;
    login = postgres(run.database_url!, { max: 1, onnotice: () => {} });
    partner = stack.partner.credentials.client_id;
  });
  after(async () => {
    await login?.end({ timeout: 1 });
    await stack?.close();
  });

  /** Runs a command, which must only propose its change. The proposer's own approval must be refused. */
  async function propose(words: string, ...more: string[]): Promise<string> {
    const made = await gold(words, ...more) as { proposal_id: string; sha256: string };
    assertEquals(Object.keys(made), ["proposal_id", "sha256", "expires_at"], words);
    const approve = ["--sha256", made.sha256, ...await expectsOf(gold, made.proposal_id)];
    await assertRejects(() => gold("proposal approve", made.proposal_id, ...approve), Error)
      .then(({ message }) => assertMatch(message, OWN));
    return made.proposal_id;
  }
  const refusedBySql = async (statement: PromiseLike<unknown>, words: RegExp) =>
    assertMatch(
      await Promise.resolve(statement).then(() => "done", ({ message }: Error) => message),
      words,
    );

  it("cannot become a partner, with a certificate of its own CA or of the partners' CA", async () => {
    const { state } = stack.running;
    const own = await foreignSigner("CN=Own Authority");
    const [outside, inside] = [await certify(own), await certify(await stackSigner(stack))];
    const register = (one: Forged) =>
      login`select gold.add_certificate(${partner}, ${
        fingerprintOf(one)
      }, ${one.serial}, ${one.notBefore}, ${one.notAfter})`;
    await propose("key rotate ca --key", state.path("pki", "own_ca_key.pem"));
    await refusedBySql(
      login`select gold.add_authority(false, ${
        randomBytes(32).toString("hex")
      }, 'PEM', null, 'LIST', now() + interval '1 day')`,
      NEEDS_TWO,
    );
    await refusedBySql(register(outside), NEEDS_TWO);
    await refusedBySql(register(inside), NEEDS_TWO);
    const { publicFile } = await newKeyFiles(state, state.path("partners"), "own_signing");
    await propose("signing-key add", partner, publicFile);
    await propose("secret rotate", partner, "--overlap", "0");
    await propose("partner set", partner, "--ip", "0.0.0.0/0");
    const asks = requestText(hostOf(stack), "GET /health");
    assertEquals((await visit(stack, outside, { sends: asks })).alert, "unknown_ca");
    await expectRefused(stack, inside, "certificate_unknown", asks);
    assertEquals(
      (await visit(stack, await certificateOf(stack.partner), { sends: asks })).reply?.status,
      200,
    );
  });

  it("cannot do more with the service's own login, or with two logins and one key", async () => {
    const { state } = stack.running;
    const password = await state.secret("database_gold_api", 24);
    const url = new URL(migration);
    [url.username, url.password] = ["gold_api", password];
    const api = postgres(url.href, { max: 1, onnotice: () => {} });
    try {
      await refusedBySql(
        api`select gold.set_price('fixed', 200, 201, 199, 60, 10, null)`,
        /permission denied/,
      );
      const [row] = await api`
        select bool_or(has_function_privilege(p.oid, 'execute')) as may from pg_proc p
        where p.pronamespace = 'gold'::regnamespace and p.proname = 'tick_price'`;
      assertEquals(row!.may, false);
    } finally {
      await api.end({ timeout: 1 });
    }
    // The second login signs with the attacker's key.
    const made = await gold("price set --source fixed --mid 0.03") as { proposal_id: string; sha256: string };
    const run = JSON.parse(await readFile(state.path("run.json"), "utf8")) as Record<string, string>;
    const second = asOperator(run.second_database_url!, undefined, state.path("keys.json"), {
      GOLD_SSH_KEY: operatorKeyFile(state.dir, "first"),
    });
    await assertRejects(
      () => second("proposal approve", made.proposal_id, "--sha256", made.sha256, "--expect", "0.03"),
      Error,
      "not an active key of the login",
    );
  });

  it("changed nothing: the ledger, the audit trail and the audit from outside are clean", async () => {
    const { state } = stack.running;
    assertEquals((await gold("ledger verify")).clean, true);
    await gold("audit verify");
    const keys = await Promise.all((["first", "second"] as const).map(async (person, index) => {
      const key = await readFile(`${operatorKeyFile(state.dir, person)}.pub`, "utf8");
      return `${["operator_one", "operator_two"][index]} ${key}`;
    }));
    await writeFile(state.path("operator_keys"), deploymentLine(await gold("db status")) + keys.join(""));
    const { out } = await runGold(
      ["audit", "full", "--operator-keys", state.path("operator_keys"), "--json"],
      { DATABASE_URL: migration },
    );
    assertEquals(JSON.parse(out).clean, true, out);
  });
});
