import { execFileSync } from "node:child_process";
import { createPrivateKey, randomBytes, randomUUID } from "node:crypto";
import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importSigningKey, type Jwk, jwkThumbprint, keySigner } from "@gold-partner/jws";
import { assert, assertEquals } from "@std/assert";
import { newId } from "@gold-partner/protocol";
import { testPostgres } from "@gold-partner/dev/postgres";
import { signedWrite } from "@gold-partner/server/testing";
import postgres, { type Sql } from "postgres";
import { expectsOf, proposeUnsigned } from "../../tools/testing/by_two.ts";
import { deploymentLine, makeSshKey } from "../../tools/testing/operator_keys.ts";
import { runGold } from "../fixtures/gold.ts";
import type { Run } from "../partner_cli/cli_fixture.ts";

export type Row = Readonly<Record<string, unknown>>;

/** The folder in which the page keeps the operator's keys. */
const KEYS = "/run/keys";
/** The partner's address on the pages. Here, the partner calls from this machine. */
const PARTNER_IP = "203.0.113.7";
const PEOPLE = ["amal", "badr"] as const;
const TYPIST = /\s# (amal|badr|carla|migration login|another person)\b/;

/** Splits a line of the page into a program's arguments. Double quotes keep words together. */
function readWords(line: string): string[] {
  const [command] = line.split(/\s+#\s/);
  return [...command!.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** Returns the person who types a line of a page: the first person, unless the comment names another one. */
function typistOf(line: string): string {
  const [, name = PEOPLE[0]] = TYPIST.exec(line) ?? [];
  return name === "another person" ? PEOPLE[1] : name;
}

/** A running service, at whose database the people work. */
interface Place {
  readonly keyFile: string;
  /** Lets the partner request a withdrawal. */
  readonly requestWithdrawal: () => Promise<unknown>;
}

/** The operator's workplace: a folder, a login for each person, and a database. */
export class Office {
  readonly #folder: string;
  /** The URL of the migration login. */
  readonly #url: string;
  readonly #sql: Sql;
  readonly #place: Place | undefined;
  readonly #stop: () => Promise<void>;
  /** The passwords that people made themselves. */
  readonly #passwords = new Map<string, string>();
  /** Each person's database URL, once `gold operator add` has created the login. */
  readonly #logins = new Map<string, string>();
  /** True once the people's SSH keys are registered. */
  #signs = false;
  #client = "";
  #name = "";

  private constructor(folder: string, url: string, stop: () => Promise<void>, place?: Place) {
    [this.#folder, this.#url, this.#stop, this.#place] = [folder, url, stop, place];
    this.#sql = postgres(url, { max: 1, onnotice: () => {} });
  }

  /** Opens a workplace at a running service. `url` is that of the migration login. */
  static async at(url: string, place: Place): Promise<Office> {
    return new Office(await mkdtemp(join(tmpdir(), "gold-office-")), url, () => Promise.resolve(), place);
  }

  /** Opens a workplace with an empty database. */
  static async open(): Promise<Office> {
    const folder = await mkdtemp(join(tmpdir(), "gold-office-"));
    const server = await testPostgres();
    const office = new Office(folder, await server.createDatabase(), () => server.stop());
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
    await this.#stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The `client_id` of the newest partner. */
  get client(): string {
    return this.#client;
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Runs one command and returns its answer. Throws unless the command exits with 0. */
  async gold(argv: readonly string[], person: string = PEOPLE[0]): Promise<Row> {
    const { exit, out, err } = await this.#run(argv, person, this.#signs ? person : undefined);
    if (exit !== 0) throw new Error(`${exit}: ${err}${out}`);
    return JSON.parse(out) as Row;
  }

  #run(argv: readonly string[], person: string, sshKey: string | undefined): Promise<Run> {
    return runGold([...argv, "--json"], {
      DATABASE_URL: this.#logins.get(person) ?? this.#url,
      SECOND_DATABASE_URL: this.#logins.get(PEOPLE[1]),
      MIGRATION_DATABASE_URL: this.#url,
      GOLD_KEYS: this.#place?.keyFile ?? join(this.#folder, "gold_keys.json"),
      GOLD_SSH_KEY: sshKey && join(this.#folder, sshKey),
      OPERATOR_KEYS: this.#signs ? join(this.#folder, "operator_keys") : "off",
      HEADS_FILE: join(this.#folder, `${person}.heads`),
      INIT_CWD: this.#folder,
    });
  }

  /** Runs a line of the page. Replaces its words in capitals with the office's current values. */
  async execute(line: string): Promise<Row> {
    const [program, ...words] = readWords(line);
    assertEquals(program, "gold");
    await this.#prepare(words);
    const argv: string[] = [];
    for (const word of words) argv.push(await this.#meaning(word, words));
    // A person chooses the proposal from a list.
    if (argv.join() === "approve") argv.push(await this.#meaning("PROPOSAL", words));
    const [, approved] = /^(?:proposal,)?approve,([^,]+)/.exec(argv.join()) ?? [];
    const expects = approved === undefined
      ? []
      : await expectsOf((one, ...more) => this.gold([...one.split(" "), ...more]), approved);
    const answer = await this.gold([...argv, ...expects], typistOf(line));
    if (line.startsWith("gold operator password")) {
      this.#passwords.set(words.at(-1)!.replace(".verifier", ""), answer.password as string);
    }
    if (line.startsWith("gold operator add")) {
      const url = new URL(answer.database_url as string);
      url.password ||= this.#passwords.get(words[2]!)!;
      this.#logins.set(words[2]!, url.href);
    }
    if (words.includes("--operator-key")) {
      this.#signs = true;
      await appendFile(
        join(this.#folder, "operator_keys"),
        deploymentLine(await this.gold(["db", "status"])),
      );
    }
    if (line.startsWith("gold db new-id")) {
      const keys = await readFile(join(this.#folder, "operator_keys"), "utf8");
      const lines = (answer.items as readonly Row[]).map((item) => `${item.line}\n`);
      await writeFile(
        join(this.#folder, "operator_keys"),
        lines.join("") + keys.replace(/^# deployment .*\n/m, ""),
      );
    }
    if (line.startsWith("gold partner create")) {
      const { client_id } = answer;
      [this.#client, this.#name] = [client_id as string, words[words.indexOf("--name") + 1]!];
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
      const key = makeSshKey(join(this.#folder, name!));
      if (words.includes("--operator-key")) {
        await appendFile(join(this.#folder, "operator_keys"), `${name} ${key}\n`);
      }
    }
    if (command.startsWith("proposal sign")) {
      await proposeUnsigned(this.#logins.get(PEOPLE[0])!);
    }
    if (command.startsWith("why")) await writeFile(join(this.#folder, "service.log"), "");
    if (command === "market open") {
      await this.#sql`update gold.price set halted_at = clock_timestamp()`;
    }
    if (/^(withdrawal )?submit/.test(command)) {
      await this.#holdPayouts(false);
    }
    if (command.startsWith("audit full")) {
      // The audit compares the time of the change of an IBAN.
      await this.#holdPayouts(true);
    }
    if (command.startsWith("loadtest prepare")) {
      // Use any certificate as the server's CA, because nothing here connects to a server.
      await copyFile(join(this.#folder, "tls.crt"), join(this.#folder, "server_ca.pem"));
    }
    if (command === "withdrawal approve") await this.#place!.requestWithdrawal();
    if (command.startsWith("withdrawal list")) {
      const { deposit_id } = await this.gold(
        ["deposit", "record", this.#client, "--amount", "1000", "--bank-ref", "FIRST"],
      );
      await this.gold(["deposit", "approve", deposit_id as string], PEOPLE[1]);
      for (const reference of ["one", "two", "three"]) await this.#askWithdrawal(reference);
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
      case "BATCH": {
        const { items } = await this.gold(["withdrawal", "list"]) as { items: readonly Row[] };
        return items.findLast(({ batch }) => batch !== null)!.batch as string;
      }
      case "REQUEST_ID": {
        const [row] = await this.#sql`select 'req_' || request_id as id from gold.idempotency_key limit 1`;
        return row!.id;
      }
      case "EVT":
        return await first(["event", "list", this.#client], "event_id");
      case "CHG": {
        const { items } = await this.gold(["change", "list", this.#client]) as { items: readonly Row[] };
        const open = items.find(({ status }) => status === "requested");
        return open ? open.change_id as string : await this.#askChange();
      }
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
          ({ kind }) => kind === "client_secret.rotate" || kind === "partner.create",
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
        return word.replaceAll(KEYS, this.#folder).replaceAll(PARTNER_IP, "127.0.0.1");
    }
  }

  /** Lets a day pass after the change of an IBAN, or takes it back. */
  async #holdPayouts(held: boolean): Promise<void> {
    const day = held ? "24 hours" : "-24 hours";
    await this.#sql`
      update gold.partner set iban_changed_at = iban_changed_at + ${day}::text::interval
      where (iban_changed_at < now() - interval '24 hours') = ${held}`;
  }

  async #askWithdrawal(reference: string): Promise<void> {
    const { client, version, write } = await this.#sign("/v1/withdrawals", { amount_sar: 100, reference });
    const [row] = await this.#sql`
      select status, body from gold.book_withdrawal(false, ${client}, ${version}::text::bigint, ${write.nonce}::uuid,
        ${reference}, ${write.fingerprint}::text::bytea, 10000, 1000000000000, ${reference}, ${randomUUID()}::uuid,
        ${newRequest()}::uuid, null, ${write.signedRequest}::text::bytea, ${write.thumbprint}::text::bytea)`;
    assertEquals(row!.status, 201, row!.body);
  }

  /** Requests a change as the partner. Returns its id. */
  async #askChange(): Promise<string> {
    const address = `203.0.113.${randomBytes(1)[0]}`;
    const content = { ip_range: address };
    const wanted = JSON.stringify({ range: `${address}/32` });
    const { client, version, write } = await this.#sign("/v1/account/changes", content);
    const id = newRequest();
    const [row] = await this.#sql`
      select status, body from gold.request_change(false, ${client}, ${version}::text::bigint, ${write.nonce}::uuid,
        ${id}, ${write.fingerprint}::text::bytea, ${id}::uuid, 'ip_range', ${JSON.stringify(content)}, 3,
        ${newRequest()}::uuid, ${write.signedRequest}::text::bytea, ${write.thumbprint}::text::bytea,
        ${wanted})`;
    assertEquals(row!.status, 201, row!.body);
    return `chg_${id}`;
  }

  /** Signs a request with the partner's key. */
  async #sign(path: string, body: object) {
    const [account] = await this.#sql`
      select a.client_id, a.admission_version::text as version from gold.account a join gold.partner p on p.id = a.client_id
      where p.public_id = ${this.#client}`;
    const pem = await readFile(join(this.#folder, "key.pem"), "utf8");
    const jwk = createPrivateKey(pem).export({ format: "jwk" }) as Jwk;
    const key = { signer: keySigner(await importSigningKey(jwk)), thumbprint: await jwkThumbprint(jwk) };
    const write = await signedWrite(this.#sql, key, path, JSON.stringify(body));
    return { client: account!.client_id as number, version: account!.version as string, write };
  }

  #makeKey(file: string, publicFile: string): void {
    this.#openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file);
    this.#openssl("ec", "-in", file, "-pubout", "-out", publicFile);
  }

  #openssl(...args: string[]): void {
    execFileSync("openssl", args, { cwd: this.#folder, stdio: "pipe" });
  }
}

const newRequest = () => newId("req_", Date.now(), randomBytes).slice(4);
