import { after, before, describe, it } from "node:test";
import { Buffer } from "node:buffer";
import { chmod } from "node:fs/promises";
import process from "node:process";
import { readKeys } from "@gold-partner/server";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runGold } from "../../gold_fixture.ts";
import { generateKeyPair } from "../../pki/key_pair.ts";
import { writePem } from "../../pki/pem.ts";
import { keepRequest, signingProgram } from "../credentials/authority_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const LOGINS = [
  "DATABASE_URL",
  "SECOND_DATABASE_URL",
  "MIGRATION_DATABASE_URL",
  "PGPASSWORD",
  "PGPASSFILE",
  "PGHOST",
];

describe("a command in the database", () => {
  let operator: TestOperator;
  let planted: string;
  before(async () => {
    operator = await testOperator();
    await operator.done("ca", "init", "--key", operator.path("ca_key.pem"));
    // The attacker's program says that it ran, and takes the login from its parent's environment.
    const text = `#!/bin/sh\ncat /proc/$PPID/environ > '${operator.path("ran")}'\n`;
    const program = await operator.write("planted", text);
    await chmod(program, 0o755);
    planted = `command:${program}`;
  });
  after(() => operator.stop());

  const ran = () => operator.read("ran").then(() => true, () => false);
  const sources = async () => {
    const [row] = await operator.service.books.sql`
      select d.pepper_source, d.sealing_key_source, a.key_source from gold.deployment d, gold.authority a`;
    return Object.values(row!);
  };
  /** Every command that uses a key, as its words. */
  const commands = async (): Promise<string[][]> => {
    const { clientId } = operator.service.partner;
    const certificates = itemsOf(await operator.done("cert", "list", clientId));
    const { fingerprint } = certificates.find(({ status }) => status === "active")!;
    const { publicKeySpki } = await generateKeyPair();
    const signingKey = await operator.write("public.pem", writePem("PUBLIC KEY", publicKeySpki));
    return [
      [
        "cert",
        "issue",
        clientId,
        "--csr",
        await keepRequest(operator, clientId),
        "--out",
        operator.path(`${crypto.randomUUID()}.pem`),
      ],
      ["cert", "crl"],
      ["secret", "rotate", clientId],
      ["webhook-secret", "rotate", clientId],
      ["key", "rotate", "token"],
      ["key", "rotate", "webhook-kek"],
      ["ca", "list"],
      ["ca", "show"],
      ["cert", "revoke", fingerprint as string],
      [
        "partner",
        "create",
        "--name",
        "Bank",
        "--iban",
        "SA4420000001234567891234",
        "--ip",
        "127.0.0.1/32",
        "--webhook",
        "https://localhost:8443/",
        "--signing-key",
        signingKey,
      ],
    ];
  };

  it("is not stored: the routine that once stored it ignores it", async () => {
    const { sql } = operator.service.books;
    const [{ environment, public_base_url } = {}] = await sql`select * from gold.deployment`;
    await sql`
      select gold.settle_deployment(${environment}, ${public_base_url}, true, ${planted}, ${planted}, 20000, '{443,8443}', 90)`;
    assertEquals(await sources(), [null, null, null]);
  });

  it("never runs if somebody stores it with a superuser's login", async () => {
    const { sql } = operator.service.books;
    await sql`update gold.deployment set pepper_source = ${planted}, sealing_key_source = ${planted}`;
    await sql`update gold.authority set key_source = ${planted}`;
    assertEquals(await sources(), [planted, planted, planted]);
    for (const words of await commands()) {
      const run = await operator.gold(...words, "--json", "--yes");
      assertEquals([run.exit, run.err], [0, ""], words.join(" "));
      assert(!run.out.includes("planted"), run.out);
    }
    assertEquals(await ran(), false);
  });

  it("does not replace a missing GOLD_KEYS: gold refuses, and says once what to set", async () => {
    const env = { DATABASE_URL: operator.url };
    for (const words of await commands()) {
      const run = await runGold([...words, "--json", "--yes"], { env });
      const told = run.exit === 0 ? run.out : run.problem.detail;
      if (words[0] === "ca") assertEquals(run.exit, 0, run.err);
      // The revocation itself needs no key. Its warning says what the list needs.
      else if (words[1] === "revoke") assertStringIncludes(told, "GOLD_KEYS is not set");
      else refused(run, words[1] === "crl" ? 3 : 2, "GOLD_KEYS is not set");
      assertEquals(told.split("GOLD_KEYS is not set").length - 1, words[0] === "ca" ? 0 : 1, told);
    }
    refused(await runGold(["ca init --key", operator.path("none.pem")], { env }), 2, "GOLD_KEYS is not set");
    assertEquals(await operator.read("none.pem").catch(({ code }) => code), "ENOENT");
    assertEquals(await ran(), false);
  });

  it("does not reach a program of the key file through the environment: it has no database login", async () => {
    const before = LOGINS.map((name) => [name, process.env[name]] as const);
    for (const name of LOGINS) process.env[name] = operator.url;
    try {
      const seen = operator.path("seen");
      const place = await operator.keys.locate("pepper");
      const [pepper] = await readKeys(place, process.env);
      const program = await operator.write(
        "print_key",
        `#!/bin/sh\nenv > '${seen}'\necho ${Buffer.from(pepper!).toString("hex")}\n`,
      );
      await chmod(program, 0o755);
      await operator.keys.record("pepper", `command:${program}`);
      await operator.done("secret", "rotate", operator.service.partner.clientId);
      await operator.keys.record("pepper", place);
      const names = (await operator.read("seen")).split("\n").map((line) => line.split("=")[0]!);
      assert(names.includes("PATH"), names.join());
      assertEquals(names.filter((name) => /DATABASE_URL$|^PG/.test(name)), []);
      assert(!(await operator.read("seen")).includes(operator.url));
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it("does not reach a signing program through the environment either", async () => {
    const { options } = await signingProgram(operator);
    const seen = operator.path("seen_by_signer");
    const signer = await operator.write("sign", `#!/bin/sh\nenv > '${seen}'\nexec ${options[1]}\n`);
    await chmod(signer, 0o755);
    const before = process.env.PGPASSWORD;
    process.env.PGPASSWORD = "secret";
    try {
      await operator.done("key", "rotate", "ca", "--command", signer, ...options.slice(2));
    } finally {
      if (before === undefined) delete process.env.PGPASSWORD;
      else process.env.PGPASSWORD = before;
    }
    assertEquals((await operator.read("seen_by_signer")).includes("PGPASSWORD"), false);
  });
});
