import { execFileSync } from "node:child_process";
import { createPrivateKey, randomBytes, randomUUID } from "node:crypto";
import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, assertEquals } from "@std/assert";
import { importSigningKey, type Jwk, jwkThumbprint, keySigner } from "@gold-partner/jws";
import { type TestPostgres, testPostgres } from "@gold-partner/local-postgres";
import { gold } from "@gold-partner/operator";
import { signedWrite } from "@gold-partner/server/testing";
import postgres, { type Sql } from "postgres";

export type Row = Readonly<Record<string, unknown>>;

/** The folder in which the page keeps the operator's keys. */
const KEYS = "/run/keys";
const PEOPLE = ["amal", "badr"] as const;

/** Splits a line of the page into a program's arguments. Double quotes keep words together. */
function readWords(line: string): string[] {
  const [command] = line.split(/\s+#\s/);
  return [...command!.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** The operator's workplace: a folder, a login for each person, and a database that is empty at first. */
export class Office {
  readonly #folder: string;
  readonly #server: TestPostgres;
  readonly #url: string;
  readonly #sql: Sql;
  /** Each person's database URL, once `gold operator add` has created the login. */
  readonly #logins = new Map<string, string>();
  /** True once the people's SSH keys are registered. */
  #signs = false;
  #client = "";
  #name = "";

  private constructor(folder: string, server: TestPostgres, url: string) {
    [this.#folder, this.#server, this.#url] = [folder, server, url];
    this.#sql = postgres(url, { max: 1, onnotice: () => {} });
  }

  static async open(): Promise<Office> {
    const folder = await mkdtemp(join(tmpdir(), "gold-office-"));
    const server = await testPostgres();
    const office = new Office(folder, server, await server.createDatabase());
    for (const key of ["pepper", "sealing_key"]) {
      await writeFile(join(folder, key), `${randomBytes(32).toString("hex")}\n`);
    }
    office.#makeKey("behind_a_program.pem", "ca_public.pem");
    const sign = `#!/bin/sh\nexec openssl dgst -sha256 -sign '${join(folder, "behind_a_program.pem")}'\n`;
    await writeFile(join(folder, "sign"), sign, { mode: 0o700 });
    return office;
  }

  async close(): Promise<void> {
    await this.#sql.end();
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Runs one command and returns its answer. Throws unless the command exits with 0. */
  async gold(argv: readonly string[], person: string = PEOPLE[0]): Promise<Row> {
    const { exit, out, err } = await this.#run(argv, person, this.#signs ? person : undefined);
    if (exit !== 0) throw new Error(`${exit}: ${err}${out}`);
    return JSON.parse(out) as Row;
  }

  async #run(argv: readonly string[], person: string, sshKey: string | undefined) {
    const [out, err]: [string[], string[]] = [[], []];
    const exit = await gold([...argv, "--json"], {
      env: {
        DATABASE_URL: this.#logins.get(person) ?? this.#url,
        SECOND_DATABASE_URL: this.#logins.get(PEOPLE[1]),
        MIGRATION_DATABASE_URL: this.#url,
        GOLD_KEYS: join(this.#folder, "gold_keys.json"),
        GOLD_SSH_KEY: sshKey && join(this.#folder, sshKey),
        INIT_CWD: this.#folder,
      },
      out: (text) => out.push(text),
      err: (text) => err.push(text),
      ask: () => Promise.resolve(true),
      now: () => new Date(),
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    });
    return { exit, out: out.join("\n"), err: err.join("\n") };
  }

  /** Runs a line of the page. Replaces its words in capitals with the office's current values. */
  async execute(line: string): Promise<Row> {
    const [program, ...words] = readWords(line);
    assertEquals(program, "gold");
    await this.#prepare(words);
    const argv: string[] = [];
    for (const word of words) argv.push(await this.#meaning(word, words));
    const answer = await this.gold(argv, PEOPLE[line.includes("# another person") ? 1 : 0]);
    if (line.startsWith("gold operator add")) this.#logins.set(words[2]!, answer.database_url as string);
    if (words.includes("--operator-key")) this.#signs = true;
    if (line.startsWith("gold partner create")) {
      [this.#client, this.#name] = [answer.client_id as string, words[words.indexOf("--name") + 1]!];
    }
    return answer;
  }

  /** Runs the page's SQL, which creates a login, and lets the first person use that login from now on. */
  async createAuditor(sql: string): Promise<void> {
    const [name, password] = [`auditor_${randomBytes(4).toString("hex")}`, randomBytes(16).toString("hex")];
    await this.#sql.unsafe(sql.replace("auditor", name).replace("…", password));
    const url = new URL(this.#url);
    [url.username, url.password] = [name, password];
    this.#logins.set(PEOPLE[0], url.href);
    // The operator's guide wrote files with these names, and gold overwrites no file.
    for (const file of ["heads.json", "keys.json"]) await rm(join(this.#folder, file));
  }

  /** Creates the files and requests that a partner or the bank would have sent before this command. */
  async #prepare(words: readonly string[]): Promise<void> {
    const command = words.join(" ");
    if (command.includes("public.pem") && !command.includes("ca_public")) {
      this.#makeKey("key.pem", "public.pem");
    }
    if (command.includes("tls.csr")) {
      this.#makeKey("tls.key", "tls.pub");
      const subject = `/O=${this.#name}/CN=${this.#client}`;
      this.#openssl("req", "-new", "-utf8", "-key", "tls.key", "-subj", subject, "-out", "tls.csr");
      await rm(join(this.#folder, "tls.crt"), { force: true });
    }
    if (command.startsWith("ca move-key")) {
      await copyFile(join(this.#folder, "ca_key.pem"), join(this.#folder, "moved_ca_key.pem"));
    }
    for (const [, name] of command.matchAll(/(\w+)\.pub\b/g)) {
      const args = ["-q", "-t", "ed25519", "-N", "", "-f", name!];
      execFileSync("ssh-keygen", args, { cwd: this.#folder, stdio: "pipe" });
      const key = await readFile(join(this.#folder, `${name}.pub`), "utf8");
      if (words.includes("--operator-key")) {
        await appendFile(join(this.#folder, "operator_keys"), `${name} ${key}`);
      }
    }
    if (command.startsWith("proposal sign")) {
      await writeFile(join(this.#folder, "unreadable"), "no key");
      const unsigned = await this.#run(["price", "set", "--mid", "331"], PEOPLE[0], "unreadable");
      assert(unsigned.err.includes("is not signed yet"), unsigned.err);
    }
    if (command === "market open") {
      await this.#sql`update gold.price set halted_at = clock_timestamp()`;
    }
    if (command.startsWith("loadtest prepare")) {
      // Use any certificate as the server's CA, because nothing here connects to a server.
      await copyFile(join(this.#folder, "tls.crt"), join(this.#folder, "server_ca.pem"));
    }
    if (command.startsWith("withdrawal list")) {
      const { deposit_id } = await this.gold(
        ["deposit", "record", this.#client, "--amount", "1000", "--bank-ref", "FIRST"],
      );
      await this.gold(["deposit", "approve", deposit_id as string], PEOPLE[1]);
      for (const reference of ["one", "two"]) await this.#askWithdrawal(reference);
    }
  }

  async #meaning(word: string, words: readonly string[]): Promise<string> {
    const command = words.slice(0, 2).join(" ");
    const first = async (
      list: readonly string[],
      member: string,
      fits: (row: Row) => boolean = () => true,
    ) => {
      const { items } = await this.gold(list) as { items: readonly Row[] };
      const found = items.find(fits)?.[member];
      assert(typeof found === "string", `${list.join(" ")}: ${JSON.stringify(items)}`);
      return found;
    };
    const credential = words[0]!;
    switch (word) {
      case "ID":
        return this.#client;
      case "DEP":
        return await first(["deposit", "list"], "deposit_id", ({ status }) => status !== "reversed");
      case "WD": {
        const before: Record<string, string> = { paid: "submitted", returned: "paid" };
        const status = before[words[1]!] ?? "pending_approval";
        return await first(["withdrawal", "list", "--status", status], "withdrawal_id");
      }
      case "BATCH":
        return await first(["withdrawal", "list"], "batch", ({ batch }) => batch !== null);
      case "EVT":
        return await first(["event", "list", this.#client], "event_id");
      case "SECRET_ID":
        return await first([credential, "list", this.#client], "secret_id", (row) => row.retire_at !== null);
      case "KID":
        return await first([credential, "list", this.#client], "thumbprint");
      case "PROPOSAL":
        return await first(["proposal", "list", "--status", "pending"], "proposal_id");
      case "APPROVED":
        return await first(
          ["proposal", "list", "--status", "approved"],
          "proposal_id",
          ({ kind }) => kind === "client_secret.rotate",
        );
      case "HASH":
        if (command === "proposal approve") {
          const id = await first(["proposal", "list", "--status", "pending"], "proposal_id");
          return (await this.gold(["proposal", "show", id])).sha256 as string;
        }
        return (await this.gold(["audit", "verify"])).head as string;
      case "FINGERPRINT":
        if (command === "operator key") {
          return await first(["operator", "key", "list"], "fingerprint", ({ login }) => login === "dana");
        }
        if (command === "cert revoke") return await first(["cert", "list", this.#client], "fingerprint");
        return await first(
          ["ca", "list"],
          "fingerprint",
          ({ status }) => status === (command === "ca retire" ? "trusted" : "signs"),
        );
      default:
        return word.replaceAll(KEYS, this.#folder);
    }
  }

  async #askWithdrawal(reference: string): Promise<void> {
    const [account] = await this.#sql`
      select a.client_id, a.admission_version::text as version from gold.account a join gold.partner p on p.id = a.client_id
      where p.public_id = ${this.#client}`;
    const pem = await readFile(join(this.#folder, "key.pem"), "utf8");
    const jwk = createPrivateKey(pem).export({ format: "jwk" }) as Jwk;
    const key = { signer: keySigner(await importSigningKey(jwk)), thumbprint: await jwkThumbprint(jwk) };
    const body = JSON.stringify({ amount_sar: 100, reference });
    const write = await signedWrite(this.#sql, key, "/v1/withdrawals", body);
    const [row] = await this.#sql`
      select status, body from gold.book_withdrawal(false, ${account!.client_id},
        ${
      account!.version
    }::text::bigint, ${write.nonce}::uuid, ${reference}, ${write.fingerprint}::text::bytea, 10000,
        1000000000000, ${reference}, ${randomUUID()}::uuid, ${randomUUID()}::uuid,
        null, ${write.request}::text::bytea, ${write.thumbprint}::text::bytea)`;
    assertEquals(row!.status, 201, row!.body);
  }

  #makeKey(file: string, publicFile: string): void {
    this.#openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file);
    this.#openssl("ec", "-in", file, "-pubout", "-out", publicFile);
  }

  #openssl(...args: string[]): void {
    execFileSync("openssl", args, { cwd: this.#folder, stdio: "pipe" });
  }
}
