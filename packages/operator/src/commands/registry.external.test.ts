import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { match } from "node:assert/strict";
import { assertEquals } from "@std/assert";
import { assemble, createLog } from "@gold-partner/server";
import { type Run, runGold } from "../gold_fixture.ts";
import { assertRefused, type TestOperator, testOperator } from "./fixture.ts";

/** Two people sign with the real ssh-keygen for the rows of a deployment that had no operators' keys before. */
describe("gold registry adopt", () => {
  let operator: TestOperator;
  let keysFile: string;
  before(async () => {
    operator = await testOperator();
    const keys: string[] = [];
    for (const [name, login] of [["first", operator.login], ["second", operator.colleague.login]] as const) {
      const file = operator.path(name);
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file]);
      keys.push(`${login} ${await readFile(`${file}.pub`, "utf8")}`);
    }
    keysFile = await operator.write("operator_keys", keys.join(""));
    const roots = [`${operator.login}=${operator.path("first.pub")}`];
    roots.push(`${operator.colleague.login}=${operator.path("second.pub")}`);
    const given = roots.flatMap((root) => ["--operator-key", root]);
    const env = { DATABASE_URL: operator.service.books.url };
    assertEquals((await runGold(["db", "migrate", ...given, "--json"], { env })).exit, 0);
  });
  after(() => operator?.stop());

  const first = (...argv: string[]): Promise<Run> =>
    runGold([...argv, "--json", "--yes"], { env: { ...operator.env, GOLD_SSH_KEY: operator.path("first") } });
  const second = (...argv: string[]): Promise<Run> =>
    runGold([...argv, "--json", "--yes", "--ssh-key", operator.path("second")], {
      env: operator.colleague.env,
    });
  const adopt = () => first("registry", "adopt", "--operator-keys", keysFile);

  /** The rows that a service with these keys skips at its start. */
  async function skipped(): Promise<readonly string[]> {
    const lines: string[] = [];
    const log = createLog((line) => void lines.push(line), () => new Date());
    const assembly = await assemble({ ...operator.service.config, operatorKeys: keysFile }, log);
    await assembly.stop();
    return lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "malformed row skipped")
      .map(({ row, code }) => `${row} ${code}`);
  }

  it("lets a service that requires signatures use the rows only after two people signed", async () => {
    const { fingerprint } = operator.service.partner;
    assertEquals((await skipped()).includes(`certificate ${fingerprint} unsigned`), true);
    const proposed = await adopt();
    assertEquals(proposed.exit, 0, proposed.err);
    match(proposed.err, new RegExp(`certificate ${fingerprint} ${operator.service.partner.clientId} `));
    const { proposal_id: id, sha256 } = proposed.json as Record<string, string>;
    assertEquals((await skipped()).length > 0, true);
    const approved = await second("proposal", "approve", id!, "--sha256", sha256!);
    assertEquals(approved.exit, 0, approved.err);
    assertEquals(await skipped(), []);
    assertEquals((await adopt()).json.proposal_id, undefined);
  });

  it("shows the rows that a superuser edits afterwards, which the service skips", async () => {
    const { fingerprint } = operator.service.partner;
    await operator.service.books.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update gold.certificate set not_after = '2100-01-01' where fingerprint = ${fingerprint}`;
    });
    assertEquals(await skipped(), [`certificate ${fingerprint} unsigned`]);
    match((await adopt()).err, new RegExp(`certificate ${fingerprint} .* 2100-01-01T00:00:00.000Z`));
  });

  it("needs the file of the first keys", async () => {
    assertRefused(await first("registry", "adopt"), 2, "--operator-keys FILE");
    const other = await operator.write("other", "nobody\n");
    assertRefused(
      await first("registry", "adopt", "--operator-keys", other),
      2,
      "Line 1 of the operators' keys",
    );
  });
});
