import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import postgres, { type Sql } from "postgres";
import { EnvoyFront } from "../../tools/prove/stage/envoy_front.ts";
import { type Inbox, openInboxes } from "../../tools/prove/stage/inboxes.ts";
import { ConnectedPartner } from "../../tools/prove/rotation/connected_partner.ts";
import { ask, Trader } from "../../tools/prove/stage/trader.ts";
import { until } from "../../tools/testing/until.ts";
import { expectShown, readSection as sectionOf, type Step } from "./doc_fixture.ts";
import { readPage } from "./page_fixture.ts";
import { openShell, type Shell } from "./shell_fixture.ts";
import { TRUST_FILE } from "@gold-partner/sidecar";
import { Deployment } from "../../tools/prove/stage/deployment.ts";
import { BackedUpDatabase } from "../../tools/prove/restore/backed_up_database.ts";

const PAGE = "recovery.md";
const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const DAY_MS = 86_400_000;
const RUNTIME = "Deno" in globalThis ? "run -A" : "";

describe("the page on recovery", () => {
  let database: BackedUpDatabase;
  let deployment: Deployment;
  let folder: string;
  let shell: Shell;
  let inbox: Inbox;
  /** A session on the restored server. */
  let restored: Sql | undefined;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "gold-recovery-"));
    database = await BackedUpDatabase.start();
    deployment = await Deployment.start({
      servers: 1,
      traders: 1,
      lanes: 1,
      settings: { HEADS_FILE: headsFile() },
      startDatabase: (state) => database.createDatabase(state),
    });
    [inbox] = await openInboxes(deployment) as [Inbox];
    writeProgram(
      "gold",
      `#!/bin/sh\nexec '${process.execPath}' ${RUNTIME} '${REPOSITORY}/tools/run.mjs' gold "$@"\n`,
    );
    for (const name of ["pgbackrest", "pg_ctl"] as const) writeProgram(name, database.scriptOf(name));
    const [first, second] = deployment.operatorUrls;
    shell = openShell(folder, {
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      HOME: process.env.HOME!,
      INIT_CWD: folder,
      GOLD_ENV: "sandbox",
      GOLD_KEYS: deployment.state.path("keys.json"),
      PEPPER_FILE: pepperFile(),
      SEALING_KEY_FILE: sealingKeyFile(),
      NEW_CA_KEY: deployment.state.path("pki", "new_ca_key.pem"),
      CLIENT_ID: deployment.traders[0]!.clientId,
      DATABASE_URL: first,
      SECOND_DATABASE_URL: second,
      GOLD_SSH_KEY: deployment.operators.sshKeyOf(0),
      SECOND_SSH_KEY: deployment.operators.sshKeyOf(1),
      OPERATOR_KEYS: deployment.operators.keysFile!,
    });
  });
  after(async () => {
    await restored?.end({ timeout: 1 });
    await shell?.run('pg_ctl stop --mode=immediate --pgdata="$NEW_DATA"').catch(() => {});
    await shell?.stop();
    await deployment?.stop();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const pepperFile = () => deployment.state.path("keys", "pepper");
  const sealingKeyFile = () => deployment.state.path("keys", "sealing_key");
  const headsFile = () => join(folder, "heads.json");
  const writeProgram = (name: string, text: string) =>
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  const fund = async () => {
    const [trader, { socket }] = [deployment.traders[0]!, deployment.servers[0]!];
    await trader.renewToken(socket);
    return (await ask(socket, trader.fund("1")))?.status;
  };
  const readSection = async (title: string) => sectionOf(await readPage(PAGE), title);
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const follow = async (steps: readonly Step[]) => {
    for (const { line, commands, shown = "" } of steps) {
      try {
        const came = await shell.run(commands);
        if (shown) expectShown(came, shown);
      } catch (error) {
        throw new Error(`docs/${PAGE}, line ${line}: ${(error as Error).message}`);
      }
    }
  };

  /** Restores the books of the moment on another host. Then the partner's newest record has this number. */
  const drill = async (newest: string) => {
    const { folder: place, data, url, port } = database.drill;
    const [operator] = deployment.operatorUrls;
    for (const name of ["pgbackrest", "pg_ctl"] as const) {
      writeProgram(name, database.scriptOf(name, "another host"));
    }
    await shell.run(`
      REPOSITORY='${database.repository}' DRILL_CONFIG='${place}.conf' DRILL_FOLDER='${place}' DRILL_DATA='${data}'
      DRILL_DATABASE='${url}' DRILL_OPERATOR='${operator.replace(/@[^/]+/, `@127.0.0.1:${port}`)}'`);
    const migration = Object.assign(new URL(url), { pathname: "/gold" }).href;
    await shell.run(`DRILL_MIGRATION='${migration}'`);
    const [settings, restore, renew, check] = await readSection("Restore on another host, as a drill");
    await follow([settings!, restore!]);
    const copy = postgres(migration, { max: 1 });
    const [row] = await copy`
      select event_sequence::text as number, current_setting('archive_mode') as archive_mode
      from gold.account where client_id = ${deployment.traders[0]!.client}`;
    await copy.end();
    assertEquals({ ...row }, { number: newest, archive_mode: "off" });
    await follow([renew!, check!]);
    for (const name of ["pgbackrest", "pg_ctl"] as const) writeProgram(name, database.scriptOf(name));
    // The copy wrote nothing to the archive, not even the history file of its timeline.
    const [{ archive: [archive] }] = JSON.parse(database.backRest("info", "--output=json"));
    assertEquals(archive.max.slice(0, 8), "00000001");
  };

  it("contains only commands that succeed in the printed order, and leads to a service that trades again", async () => {
    for (const title of ["The backups", "Check the backups"]) await follow(await readSection(title));

    assertEquals(await fund(), 201);
    // pgBackRest notes the end of a backup in whole seconds, and restores only to a later second.
    await sleep(1000);
    const [at] = await deployment.sql`select clock_timestamp()::text as moment`;
    await sleep(10);
    assertEquals([await fund(), await fund()], [201, 201]);
    const name = deployment.traders[0]!.clientId;
    const [newest] = await deployment.sql`
      select event_sequence::text as number from gold.account where client_id = ${
      deployment.traders[0]!.client
    }`;
    await until(() => {
      const { items } = JSON.parse(readFileSync(headsFile(), "utf8")) as { items: Record<string, string>[] };
      return items.some(({ client_id, sequence }) => client_id === name && sequence === newest!.number);
    });
    await database.untilArchived();
    await shell.run(`MOMENT='${at!.moment}'`);
    await drill(`${BigInt(newest!.number) - 2n}`);
    await database.lose();
    const { data, url } = database.second;
    await shell.run(`NEW_DATA='${data}' NEW_DATABASE='${url}' HEADS_FILE='${headsFile()}'`);

    for (const title of ["Restore to a moment", "After a restore"]) await follow(await readSection(title));
    const losses = readFileSync(join(folder, "loss.txt"), "utf8");
    assert(losses.includes(name), losses);
    const [server] = deployment.servers;
    await server!.heal();
    assertEquals(await fund(), 201);

    rmSync(pepperFile());
    const [newPepper, declared, ...newSecret] = await readSection("A lost pepper");
    await follow([newPepper!]);
    await server!.stop();
    const refused = await assertRejects(() => server!.start(), Error);
    assertStringIncludes(refused.message, "hashed with the pepper");
    await follow([declared!]);
    await server!.start();
    await server!.heal();
    const { message } = await assertRejects(fund, Error);
    assertStringIncludes(message, "invalid_client");
    await follow(newSecret);
    const [, secret] = /"client_secret": ?"([^"]+)"/.exec(readFileSync(join(folder, "secret.json"), "utf8"))!;
    const { credentials, client } = deployment.traders[0]!;
    deployment.traders[0] = await Trader.of({ ...credentials, client_secret: secret! }, client);
    assertEquals(await fund(), 201);
  });

  it("replaces a lost sealing key, so that processes start and webhooks have a signature that partners know", async () => {
    const [server] = deployment.servers;
    const url = Object.assign(new URL(database.second.url), { pathname: "/gold" }).href;
    const sql = restored = postgres(url, { max: 1 });
    const untilDelivered = async (secret: string) => {
      inbox.secrets = [secret];
      const known = inbox.arrivals.length;
      assertEquals(await fund(), 201);
      await until(() => inbox.arrivals.slice(known).some(({ signedBy }) => signedBy.includes(secret)));
    };
    await shell.run('gold secret rotate "$CLIENT_ID" --yes --json > lost.json');
    const [, lost] = /"proposal_id": ?"([^"]+)"/.exec(read("lost.json"))!;
    rmSync(sealingKeyFile());
    await untilDelivered(deployment.traders[0]!.credentials.webhook_secret);
    const starting = () => deployment.addServer("server_2", "all", {});
    assertStringIncludes((await assertRejects(starting, Error)).message, "SEALING_KEY_SOURCE");

    const [newKey, ...others] = await readSection("A lost sealing key");
    await follow([newKey!]);
    assertStringIncludes((await assertRejects(starting, Error)).message, "can decrypt the token key");
    await follow(others);
    const [proposal] = await sql`select state from gold.proposal where id = ${lost!}`;
    assertEquals(proposal!.state, "rejected");
    const [, secret] = /"webhook_secret": ?"([^"]+)"/.exec(read("webhook_secret.json"))!;
    await until(async () => {
      const [{ begun }] = await sql<[{ begun: boolean }]>`
        select bool_or(retire_at is null and not_before < clock_timestamp()) as begun from gold.token_key`;
      return begun;
    });
    await untilDelivered(secret!);
    await server!.stop();
    await server!.start();
    await server!.heal();
    await untilDelivered(secret!);

    // The lost key must not be in the way of the next change. This is the state after the 11 minutes.
    await sql`update gold.token_key set retire_at = clock_timestamp() where retire_at is not null`;
    writeFileSync(sealingKeyFile(), `${"5a".repeat(32)}\n${readFileSync(sealingKeyFile(), "utf8")}`);
    await shell.run("gold key rotate webhook-kek --yes --json > proposal.json && approve");
    assertStringIncludes(await shell.run("gold key rotate webhook-kek --yes --json"), '"resealed":0');
  });

  it("replaces a lost CA, also after its revocation list has expired", async () => {
    let laterMs = 0;
    await EnvoyFront.open(deployment, { now: () => Date.now() + laterMs });
    const { credentials, client } = deployment.traders[0]!;
    /** Returns "201", or why the partner cannot trade. */
    const trade = async (change: Partial<typeof credentials> = {}): Promise<string> => {
      try {
        const partner = await ConnectedPartner.of({ ...credentials, ...change }, client, deployment.port);
        const reply = await partner.send((trader) => trader.fund("1"));
        partner.close();
        return typeof reply === "string" ? reply : reply.status === 201 ? "201" : reply.body;
      } catch (error) {
        return (error as Error).message;
      }
    };
    assertEquals(await trade(), "201");
    rmSync(deployment.state.path("pki", "partner_ca_key.pem"));

    const steps = await readSection("A lost CA key");
    const [retiring] = steps.splice(-1);
    await shell.run(
      `openssl ecparam -name prime256v1 -genkey -noout -out tls_next.key
      openssl req -new -utf8 -key tls_next.key -subj "/O=Trader 1/CN=$CLIENT_ID" -out tls_next.csr`,
    );
    await follow(steps);
    const renewed = { cert: join(folder, "tls_next.crt"), key: join(folder, "tls_next.key") };
    const untilTrusted = (certificates: number, lists: number) =>
      until(() => {
        const text = readFileSync(deployment.state.path("envoy", "trust", TRUST_FILE), "utf8");
        const count = (kind: string) => text.split(`BEGIN ${kind}`).length - 1;
        return count("CERTIFICATE") === certificates && count("X509 CRL") === lists;
      });
    await untilTrusted(2, 2);
    await until(async () => await trade(renewed) === "201");
    assertEquals(await trade(), "201");

    await shell.run("gold cert crl --days 365 || test $? = 3");
    laterMs = 100 * DAY_MS;
    await untilTrusted(2, 0);
    assertEquals([await trade(), await trade(renewed)], ["201", "201"]);
    // Envoy has no list, so only the service refuses a revoked certificate.
    const { fingerprint256 } = new X509Certificate(readFileSync(credentials.cert));
    await shell.run(`gold cert revoke ${fingerprint256.replaceAll(":", "").toLowerCase()} --yes`);
    assertStringIncludes(await trade(), "certificate_revoked");

    await follow([retiring!]);
    await shell.run("gold cert crl --days 365");
    await untilTrusted(1, 1);
    assertEquals(await trade(renewed), "201");
    // Envoy itself refuses the certificates of the retired CA.
    await until(async () => /failed: (?:no connection|a new connection ended)/.test(await trade()));
  });
});
