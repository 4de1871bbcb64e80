import { X509Certificate } from "node:crypto";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { rename } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { runGold } from "../../gold_fixture.ts";
import { issueTo, listOf, registryVersion, signingProgram } from "./authority_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

describe("gold key rotate ca and ca retire", () => {
  let operator: TestOperator;
  let clientId: string;
  before(async () => {
    operator = await testOperator();
    clientId = operator.service.partner.clientId;
  });
  after(() => operator.stop());

  const authorityOf = async (fingerprint: string) =>
    (await operator.service.books
      .sql`select authority from gold.certificate where fingerprint = ${fingerprint}`)[0]!
      .authority as string;
  const statuses = async () =>
    itemsOf(await operator.done("ca", "list")).map(({ fingerprint, status }) => [fingerprint, status]);
  /** The first authority. Its key is behind a signing command. */
  const oldest = async () => {
    const [{ fingerprint, key_source } = {}] = itemsOf(await operator.done("ca", "list"));
    return { fingerprint: fingerprint as string, command: (key_source as string).slice("command:".length) };
  };
  const enter = (fingerprint: string) =>
    operator.service.send("/health", {
      method: "GET",
      headers: { Authorization: null, "X-Forwarded-Client-Cert": `Hash=${fingerprint}` },
    });

  it("key rotate ca is refused before the first authority exists, and leaves no key file", async () => {
    refused(await operator.gold("key rotate ca --key", operator.path("ca_key.pem")), 1, "gold ca init");
    assertEquals(await operator.read("ca_key.pem").catch(({ code }) => code), "ENOENT");
  });

  it("ca init with --command requires --public-key and uses the key behind the program", async () => {
    const { options } = await signingProgram(operator);
    refused(await operator.gold("ca", "init", ...options.slice(0, 2)), 2, "--public-key");
    refused(await operator.gold("ca init", ...options, "--key", operator.path("ca_key.pem")), 2, "not both");
    refused(await operator.gold("ca init --command /nowhere/sign", ...options.slice(2)), 3, "was not found");
    const made = await operator.done("ca", "init", ...options);
    assertEquals(made.key_source, `command:${options[1]}`);
    assert(new X509Certificate(made.certificate as string).ca);
    assertEquals(await authorityOf(await issueTo(operator, clientId)), made.fingerprint);
  });

  it("key rotate ca: the new CA signs, the older one stays trusted, and each signs its own CRL", async () => {
    const [older] = itemsOf(await operator.done("ca", "list"));
    const version = await registryVersion(operator);
    const made = await operator.done("key", "rotate", "ca", "--key", operator.path("next_key.pem"));
    assert(await registryVersion(operator) > version);
    assertEquals(await statuses(), [[older!.fingerprint, "trusted"], [made.fingerprint, "signs"]]);
    assertEquals(await authorityOf(await issueTo(operator, clientId)), made.fingerprint);
    const bundle = (await operator.done("ca", "show")).certificates as string;
    assertEquals(bundle.match(/BEGIN CERTIFICATE/g)!.length, 2);
    const names = bundle.split(/(?<=END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem).subject);
    assertEquals(new Set(names).size, 2);
    assert(bundle.endsWith(made.certificate as string));
    const renewed = itemsOf(await operator.done("cert", "crl", "--out", operator.path("crl.pem")));
    assertEquals(renewed.map(({ authority, number }) => [authority, number]), [[older!.fingerprint, 2], [
      made.fingerprint,
      2,
    ]]);
    const lists = [older!, made].map(({ fingerprint }) => listOf(operator, fingerprint as string));
    assertEquals(await operator.read("crl.pem"), (await Promise.all(lists)).map(({ pem }) => pem).join(""));
    assertEquals(
      await operator.keys.find(`ca:${made.fingerprint as string}`),
      `file:${operator.path("next_key.pem")}`,
    );
  });

  it("cert crl fails if it cannot reach one key, after it has renewed the lists of the other CAs", async () => {
    const [older, newest] = itemsOf(await operator.done("ca", "list"));
    const name = `ca:${older!.fingerprint as string}` as const;
    const keySource = await operator.keys.locate(name);
    for (
      const [source, words] of [["file:/nowhere.pem", "ENOENT"], [undefined, "gold ca move-key"]] as const
    ) {
      await operator.keys.record(name, source);
      const numbers = async () =>
        (await Promise.all([older!, newest!].map((one) => listOf(operator, one.fingerprint as string)))).map((
          { number },
        ) => number);
      const [first, second] = await numbers();
      const run = await operator.gold("cert", "crl", "--out", operator.path("crl.pem"));
      refused(run, 3, `1 of 2 revocation lists were not renewed`);
      assertStringIncludes(run.problem.detail, `Authority ${older!.fingerprint}: `);
      assertStringIncludes(run.problem.detail, words);
      assertEquals(await numbers(), [first!, second! + 1]);
      assertStringIncludes(
        await operator.read("crl.pem"),
        (await listOf(operator, newest!.fingerprint as string)).pem,
      );
    }
    await operator.keys.record(name, keySource);
  });

  it("key rotate ca rejects a key that an earlier authority had", async () => {
    const older = await oldest();
    const publicKey = operator.path("ca_public.pem");
    const run = await operator.gold("key rotate ca --command", older.command, "--public-key", publicKey);
    refused(run, 1, `already belongs to authority ${older.fingerprint}`);
  });

  it("ca move-key accepts only the new location of the authority's own key", async () => {
    const newest = itemsOf(await operator.done("ca", "list")).at(-1)!.fingerprint as string;
    const moved = operator.path("moved_key.pem");
    await rename(operator.path("next_key.pem"), moved);
    const { number } = await listOf(operator, newest);
    const { command } = await oldest();
    const move = (...place: string[]) => operator.gold("ca", "move-key", newest, ...place);
    refused(await move("--key", operator.path("next_key.pem")), 3, "ENOENT");
    refused(await move("--command", command), 1, "belongs to another certificate");
    refused(await move("--key", moved, "--command", command), 2, "not both");
    refused(await operator.gold("ca", "move-key", "00", "--key", moved), 1, "no trusted authority 00");
    assertEquals((await listOf(operator, newest)).number, number);
    await operator.done("ca", "move-key", newest, "--key", moved);
    assertEquals((await listOf(operator, newest)).number, number + 1);
    assertEquals((await operator.done("ca", "show")).key_source, `file:${moved}`);
    await operator.done("cert", "crl");
  });

  it("ca retire refuses the newest authority and an unknown authority", async () => {
    const newest = itemsOf(await operator.done("ca", "list")).at(-1)!.fingerprint as string;
    refused(await operator.gold("ca", "retire", newest, "--yes"), 1, "gold key rotate ca");
    refused(await operator.gold("ca", "retire", "00", "--yes"), 1, "no certificate authority 00");
  });

  it("ca retire shows the authority's unexpired certificates, and revokes them", async () => {
    const { sql } = operator.service.books;
    const [older, newest] = itemsOf(await operator.done("ca", "list")).map(({ fingerprint }) =>
      fingerprint as string
    );
    const [standing] = await sql`
      update gold.certificate set last_used_at = now() where authority = ${older!} returning fingerprint, last_used_at`;
    const [kept] = await sql`select fingerprint from gold.certificate where authority = ${newest!}`;
    await operator.service.refresh();
    assertEquals((await enter(standing!.fingerprint)).status, 200);
    const { questions } = await runGold(["ca retire", older!], { env: operator.env, yes: false });
    assertStringIncludes(
      questions.join(),
      `1 unexpired certificate(s) of ${clientId} will be revoked with it`,
    );
    assertStringIncludes(questions.join(), `last used at ${standing!.last_used_at.toISOString()}`);
    assertStringIncludes(questions.join(), "For 1 more, the authority that signed them is not recorded");

    const { client } = operator.service.partner;
    const admission = async () =>
      BigInt(
        (await sql`select admission_version from gold.account where client_id = ${client}`)[0]!
          .admission_version,
      );
    const before = await admission();
    assertEquals(await operator.done("ca", "retire", older!), {
      fingerprint: older,
      status: "retired",
      revoked: 1,
    });
    assert(await admission() > before);
    await operator.service.refresh();
    assertEquals((await enter(standing!.fingerprint)).status, 403);
    assertEquals((await enter(kept!.fingerprint)).status, 200);
    assertEquals(await statuses(), [[older, "retired"], [newest, "signs"]]);
    assertEquals(
      (await operator.done("ca", "show")).certificates,
      (await sql`
      select certificate from gold.authority where fingerprint = ${newest!}`)[0]!.certificate,
    );
    refused(await operator.gold("ca", "retire", older!, "--yes"), 1, "retired already");
    assertEquals(itemsOf(await operator.done("cert", "crl")).map(({ authority }) => authority), [newest]);
  });

  it("only one of two concurrent ca init commands creates the first authority", async () => {
    const fresh = await testOperator();
    try {
      const runs = await Promise.all(
        [fresh, fresh.colleague].map((person, index) =>
          person.gold("ca", "init", "--key", fresh.path(`key_${index}.pem`))
        ),
      );
      assertEquals(runs.map(({ exit }) => exit).sort(), [0, 1]);
      const kept = await Promise.all(
        runs.map((_, index) => fresh.read(`key_${index}.pem`).then(() => 0, () => 1)),
      );
      assertEquals(kept, runs.map(({ exit }) => exit));
    } finally {
      await fresh.stop();
    }
  });
});
