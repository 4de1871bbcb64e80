import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  type ApprovalDocument,
  parseOperatorKeys,
  requireDeployment,
  SignedRegistry,
} from "@gold-partner/approvals";
import { assertEquals, assertMatch } from "@std/assert";
import { asOperator, asOperatorFrom, openState } from "@gold-partner/dev";
import { type TestPostgres, testPostgres } from "@gold-partner/dev/postgres";
import postgres, { type Sql } from "postgres";
import { dropLogins } from "../../tools/testing/drop_logins.ts";
import { deploymentLine, makeSshKey } from "../../tools/testing/operator_keys.ts";
import { type Checkout, checkOut } from "../../tools/testing/release/checkout.ts";
import { releases } from "../../tools/testing/release/history.ts";
import { runGold } from "../fixtures/gold.ts";

const PEOPLE = ["amal", "badr", "carla"].map((name) => `${name}_${process.pid}`) as [string, string, string];

/** Two people sign with the gold of 0.5.0, whose texts name no deployment. Then the database is upgraded. */
describe("what two people signed with 0.5.0", () => {
  let server: TestPostgres;
  let checkout: Checkout;
  let state: Awaited<ReturnType<typeof openState>>;
  let sql: Sql;
  let url: string;
  let file: string;
  const logins = new Map<string, string>();
  before(async () => {
    server = await testPostgres();
    checkout = await checkOut(releases().find(({ version }) => version === "0.5.0")!.commit);
    state = await openState(await mkdtemp(join(tmpdir(), "gold-signed-history-")), false);
    url = await server.createDatabase();
    sql = postgres(url, { max: 1, onnotice: () => {} });
    await Promise.all(["pepper", "sealing_key"].map((name) => state.secret(name)));
  });
  after(async () => {
    await dropLogins(sql, ...PEOPLE);
    await sql.end();
    await state.release();
    await server.stop();
    await Promise.all([checkout.remove(), rm(state.dir, { recursive: true, force: true })]);
  });

  const path = (name: string) => state.path("keys", name);
  const byOld = (person?: string) =>
    asOperatorFrom(checkout.root, person ? logins.get(person)! : url, path("keys.json"));
  const by = (person: string) =>
    asOperator(logins.get(person)!, undefined, path("keys.json"), {
      GOLD_SSH_KEY: path(person),
      OPERATOR_KEYS: file,
    });
  async function audit(): Promise<{ verified_approvals: number; items?: readonly Record<string, string>[] }> {
    const { out } = await runGold(["audit", "full", "--operator-keys", file, "--json"], {
      DATABASE_URL: url,
    });
    const { items = [], ...report } = JSON.parse(out);
    // Other tests create roles on the same server at the same time.
    return { ...report, items: items.filter(({ rule }: { rule: string }) => rule !== "role_is_expected") };
  }

  it("is made with the program of 0.5.0", async () => {
    const [amal, badr, carla] = PEOPLE;
    await byOld()(
      "db migrate --env sandbox --base-url https://localhost:8443",
      ...["--pepper", `file:${path("pepper")}`, "--sealing-key", `file:${path("sealing_key")}`],
    );
    for (const name of PEOPLE) {
      const made = await byOld()("operator add", name, "--roles", "treasury,credentials,pricing,keys");
      logins.set(name, made.database_url as string);
      makeSshKey(path(name));
    }
    const roots = [amal, badr].flatMap((name) => ["--operator-key", `${name}=${path(`${name}.pub`)}`]);
    await byOld()("db migrate", ...roots);
    const byTwo = async (proposer: string, approver: string, words: string, ...more: string[]) => {
      const { proposal_id: id, sha256 } = await byOld(proposer)(words, ...more, "--ssh-key", path(proposer));
      const approval = ["--sha256", `${sha256}`, "--ssh-key", path(approver)];
      await byOld(approver)("proposal approve", `${id}`, ...approval);
    };
    await byTwo(amal, badr, "operator key add", carla, path(`${carla}.pub`));
    const pem = execFileSync("openssl", ["ecparam", "-name", "prime256v1", "-genkey", "-noout"], {
      stdio: "pipe",
    });
    const signing = execFileSync("openssl", ["ec", "-pubout"], { input: pem, stdio: "pipe" });
    await writeFile(path("signing.pem"), signing);
    await byTwo(
      carla,
      amal,
      "partner create --iban SA0380000000608010167519 --ip 203.0.113.7 --webhook https://bank.example/ --name",
      "Example Bank",
      ...["--signing-key", path("signing.pem")],
    );
    const versions =
      await sql`select distinct split_part(canonical_text, chr(10), 1) as text from gold.proposal_overview`;
    assertEquals(versions.map(({ text }) => text), ["gold proposal 1"]);
  });

  it("does not count after the upgrade, until two people sign a list of it", async () => {
    const [amal, badr] = PEOPLE;
    const migration = asOperator(url, undefined, path("keys.json"));
    await migration("db migrate");
    const keys = [amal, badr].map((name) => `${name} ${readFileSync(path(`${name}.pub`), "utf8")}`);
    file = path("operator_keys");
    await writeFile(file, deploymentLine(await migration("db status")) + keys.join(""));
    const trusted = await parseOperatorKeys(await readFile(file, "utf8"));
    const read = async () => {
      const [row] = await sql`select gold.read_registry_approvals() as approvals`;
      return row!.approvals as ApprovalDocument;
    };
    const start = async () => {
      try {
        requireDeployment(trusted, await read());
        return "starts";
      } catch (error) {
        return (error as Error).message;
      }
    };
    assertMatch(await start(), /Two people must first sign a list of them: run `gold proposal adopt`/);
    const early = await audit();
    assertEquals([early.verified_approvals, early.items!.map(({ rule }) => rule)], [
      0,
      ["approval_is_signed", "approval_is_signed", "approval_is_signed"],
    ]);

    const { proposal_id: id, sha256 } = await by(amal)("proposal adopt");
    await by(badr)("proposal approve", `${id}`, "--sha256", `${sha256}`);
    const { verified_approvals, items } = await audit();
    assertEquals([verified_approvals, items], [3, []]);
    assertEquals(await start(), "starts");
    const [partner] = await sql`select public_id from gold.partner`;
    const signed = await new SignedRegistry(trusted).read(await read());
    assertEquals(signed.valueOf(`allowed_ips ${partner!.public_id}`), "203.0.113.7/32");
    assertEquals(await by(amal)("proposal adopt"), {});
  });
});
