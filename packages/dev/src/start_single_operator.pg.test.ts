import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import { GoldClient } from "@gold-partner/client";
import { assertEquals, assertMatch } from "@std/assert";
import { findFreePort } from "./postgres/mod.ts";
import { generateKeyPair, writePem } from "@gold-partner/operator";
import { runtimeArguments } from "../../../tools/testing/runtime_arguments.ts";
import { endAll, type Started, startUntilReady } from "../testing/start.ts";
import { writeCsr } from "./partner_keys.ts";

const GOLD = fileURLToPath(new URL("../../operator/src/main.ts", import.meta.url));
const NAME = "Black Box Bank";

interface Ran {
  readonly exit: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

/**
 * The script has only the logins of run.json. Its commands must print the same members and exit codes as in
 * 0.4.0.
 */
describe("a script that sets up its own partner in a plain npm start", () => {
  let folder: string;
  let started: Started;
  let clientId: string;
  let secrets: { client_secret: string; webhook_secret: string };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-start-single-"));
    started = await startUntilReady(join(folder, "state"), "--port", `${await findFreePort()}`, "--no-demo");
  });
  after(async () => {
    await endAll();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs `gold` in its own process, with only a login. `words` is split at spaces. */
  function gold(
    login: "database_url" | "second_database_url",
    words: string,
    ...more: string[]
  ): Promise<Ran> {
    const env = { PATH: process.env.PATH, DATABASE_URL: started.run[login] };
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [...runtimeArguments(GOLD), ...words.split(" "), ...more, "--json", "--yes"],
        { cwd: folder, env },
        (error, out, err) =>
          resolve({ exit: error ? Number(error.code) : 0, answer: JSON.parse(error ? err : out) }),
      );
    });
  }
  /** Runs `gold` with the first login. It must exit with 0 and answer with exactly these members. */
  async function succeed(members: string, words: string, ...more: string[]): Promise<Ran["answer"]> {
    const { exit, answer } = await gold("database_url", words, ...more);
    assertEquals([exit, Object.keys(answer).join(" ")], [0, members], JSON.stringify(answer));
    return answer;
  }
  const file = (name: string) => join(folder, name);
  async function makeKey(name: string) {
    const pair = await generateKeyPair();
    await writeFile(file(`${name}.key`), pair.privateKeyPem);
    await writeFile(file(`${name}.pub`), writePem("PUBLIC KEY", pair.publicKeySpki));
    return pair;
  }

  it("creates the partner, and reads its secrets at once", async () => {
    await makeKey("signing");
    const made = await succeed(
      "client_id name client_secret webhook_secret",
      "partner create --iban SA0380000000608010167519 --ip 127.0.0.1 --ip ::1 --signing-key signing.pub",
      ...["--webhook", "https://localhost:8444/webhooks", "--name", NAME],
    );
    assertEquals(made.name, NAME);
    assertMatch(`${made.client_id}`, /^sbx_/);
    clientId = made.client_id as string;
    secrets = made as unknown as typeof secrets;
  });

  it("issues the certificate, adds a signing key and rotates the secrets without another login", async () => {
    const pair = await makeKey("tls");
    await writeFile(file("tls.csr"), await writeCsr(pair, { organization: NAME, commonName: clientId }));
    const issued = await succeed(
      "client_id fingerprint not_after file",
      `cert issue ${clientId} --csr tls.csr --out tls.crt`,
    );
    assertEquals(issued.file, file("tls.crt"));
    assertMatch(await readFile(file("tls.crt"), "utf8"), /^-----BEGIN CERTIFICATE-----\n/);
    await makeKey("signing_next");
    await succeed("client_id thumbprint kid", `signing-key add ${clientId} signing_next.pub`);
    for (
      const [word, member] of [["secret", "client_secret"], ["webhook-secret", "webhook_secret"]] as const
    ) {
      const made = await succeed(`client_id secret_id ${member} retires_at`, `${word} rotate ${clientId}`);
      secrets = { ...secrets, [member]: made[member] };
    }
  });

  it("sets a price and adds a bar without another login", async () => {
    await succeed(
      "serial gross_grams fineness fine_grams",
      "vault add --serial BLACK-1 --gross 100 --fineness 999.9 --vault Riyadh",
    );
    const { exit, answer } = await gold("database_url", "price set --mid 500 --spread 60");
    assertEquals([exit, answer.mid], [0, "500"]);
  });

  it("books a deposit that one login records and the other login approves", async () => {
    const recorded = await succeed(
      "deposit_id client_id name amount_sar bank_reference status",
      `deposit record ${clientId} --amount 1000 --bank-ref FT1`,
    );
    assertEquals(recorded.status, "recorded");
    const approve = `deposit approve ${recorded.deposit_id}`;
    const alone = await gold("database_url", approve);
    assertEquals([alone.exit, alone.answer.code], [1, "refused"]);
    const { exit, answer } = await gold("second_database_url", approve);
    const members = "deposit_id client_id name amount_sar bank_reference funding_id status";
    assertEquals([exit, Object.keys(answer).join(" ")], [0, members]);
    assertEquals(answer.status, "approved");
  });

  it("trades with the new credentials", async () => {
    const client = await GoldClient.fromCredentials({
      base_url: started.run.base_url,
      ca: file("state/pki/ca.pem"),
      cert: file("tls.crt"),
      key: file("tls.key"),
      signing_key: file("signing_next.key"),
      client_id: clientId,
      ...secrets,
    });
    try {
      const { quote_id } = await client.createQuote({ side: "buy", gold_grams: "1" });
      assertEquals((await client.placeOrder({ quote_id })).status, "executed");
      assertEquals(`${(await client.getBalances()).gold.grams}`, "1");
    } finally {
      client.close();
    }
  });

  it("leaves no proposal, and an audit trail that names the mode in every row", async () => {
    assertEquals((await gold("database_url", "proposal list")).answer.items, []);
    const { items } = (await gold("database_url", "audit list")).answer as {
      items: readonly { detail: string }[];
    };
    const modes = items.map(({ detail }) => (JSON.parse(detail) as { mode?: string }).mode);
    assertEquals([...new Set(modes)], ["single_operator"]);
  });
});
