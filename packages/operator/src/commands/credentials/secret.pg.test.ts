import { after, before, describe, it } from "node:test";
import type { TestPartner } from "@gold-partner/server/testing";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseWebhookSecret } from "@gold-partner/protocol";
import { createSealing, readKeys } from "@gold-partner/server";
import { runGold } from "../../gold_fixture.ts";
import { generateKeyPair } from "../../pki/key_pair.ts";
import { writePem } from "../../pki/pem.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const HOUR_MS = 3_600_000;

describe("gold secret, gold webhook-secret", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const newPartner = () => operator.service.addPartner();
  const askToken = async (partner: TestPartner, secret: string) => {
    const reply = await operator.service.send("/oauth/token", {
      partner,
      headers: { Authorization: null, "Content-Type": "application/x-www-form-urlencoded" },
      body: `grant_type=client_credentials&client_id=${partner.clientId}&client_secret=${secret}`,
    });
    return reply.status;
  };
  /** Runs `gold` for a person at a terminal who gives this answer to every question. */
  const answering = async (yes: boolean, ...argv: string[]) => {
    // Give the person a wrong clock, because only the database's clock counts.
    const now = () => new Date(Date.now() + 2 * HOUR_MS);
    const run = await runGold(argv, { env: operator.env, yes, now });
    return { run, question: run.questions.join("|") };
  };
  const minutesFromNow = (instant: unknown) => Math.round((Date.parse(`${instant}`) - Date.now()) / 60_000);

  describe("rotate", () => {
    it("prints a new secret that works at once, and keeps the older one valid for the overlap", async () => {
      const partner = await newPartner();
      const made = await operator.done("secret", "rotate", partner.clientId);
      assertEquals(Object.keys(made), ["client_id", "secret_id", "client_secret", "retires_at"]);
      assertMatch(made.client_secret as string, /^[A-Za-z0-9_-]{43}$/);
      assertEquals(minutesFromNow(made.retires_at), 24 * 60);
      assertEquals(await askToken(partner, made.client_secret as string), 200);
      assertEquals(await askToken(partner, partner.clientSecret), 200);
      const listed = itemsOf(await operator.done("secret", "list", partner.clientId));
      assertEquals(listed.map(({ status }) => status), ["retiring", "active"]);
      assertEquals([listed[1]!.secret_id, listed[0]!.retire_at], [made.secret_id, made.retires_at]);
    });

    it("refuses another pepper than that of the client secrets, and stores nothing", async () => {
      const { service } = operator;
      const { clientId } = await newPartner();
      const { sealingKeySource } = service.config;
      const wrong = { pepper: sealingKeySource, sealing_key: sealingKeySource };
      const file = await operator.write("wrong_keys.json", JSON.stringify(wrong));
      const key = await operator.write(
        "key.pem",
        writePem("PUBLIC KEY", (await generateKeyPair()).publicKeySpki),
      );
      const create = [
        ...[
          "partner",
          "create",
          "--name",
          "Bank",
          "--iban",
          "SA0380000000608010167519",
          "--ip",
          "127.0.0.1/32",
        ],
        ...["--webhook", "https://localhost:8444/", "--signing-key", key],
      ];
      const stored = async () => {
        const [row] = await service.books.sql`
          select (select count(*)::int from gold.client_secret) as secrets, (select count(*)::int from gold.partner) as partners,
            (select pepper_name from gold.deployment) as pepper`;
        return { ...row };
      };
      const before = await stored();
      for (const command of [["secret", "rotate", clientId], create]) {
        const run = await runGold([...command, "--json", "--yes"], {
          env: { ...operator.env, GOLD_KEYS: file },
        });
        refused(run, 1, `hashed with the pepper ${before.pepper}`);
        assertEquals(run.problem.code, "pepper_differs");
      }
      assertEquals(await stored(), before);
      assertEquals((await operator.gold("secret", "rotate", clientId)).exit, 0);
    });

    it("accepts an overlap in minutes, hours or days, and rejects anything else", async () => {
      const { clientId } = await newPartner();
      for (
        const [overlap, minutes] of [["90d", 90 * 1440], ["7d", 7 * 1440], ["2h", 120], ["30m", 30]] as const
      ) {
        const { retires_at } = await operator.done("secret", "rotate", clientId, "--overlap", overlap);
        assertEquals(minutesFromNow(retires_at), minutes);
      }
      for (const wrong of ["1", "-1h", "1.5h", "24 h", "1w", "", "00m", "24H"]) {
        refused(await operator.gold("secret", "rotate", clientId, `--overlap=${wrong}`), 2, "--overlap");
      }
      for (const long of ["91d", "2161h", "999999d"]) {
        refused(
          await operator.gold("secret", "rotate", clientId, "--overlap", long),
          2,
          "--overlap must be at most 90d",
        );
      }
    });

    it("with --overlap 0, shows the last use of each older secret and asks, then retires them", async () => {
      const partner = await newPartner();
      assertEquals(await askToken(partner, partner.clientSecret), 200);
      // Set a use less than a minute ago. The service records the use above some seconds later, but does not
      // overwrite a use that is less than a minute old.
      const usedAt = new Date(Date.now() - 30_000).toISOString();
      await operator.service.books
        .sql`update gold.client_secret set last_used_at = ${usedAt} where partner_id = ${partner.client}`;
      const no = await answering(false, "secret", "rotate", partner.clientId, "--overlap", "0");
      refused(no.run, 1, "Nothing was done");
      assertStringIncludes(no.question, `last used at ${usedAt}`);
      assertEquals(await askToken(partner, partner.clientSecret), 200);
      refused(await operator.gold("secret", "rotate", partner.clientId, "--overlap", "0"), 2, "with --yes");
      const { client_secret } = await operator.done("secret", "rotate", partner.clientId, "--overlap", "0");
      assertEquals(await askToken(partner, client_secret as string), 200);
      assertEquals(await askToken(partner, partner.clientSecret), 401);
    });

    for (const [word, kind] of [["secret", "client_secret"], ["webhook-secret", "webhook_secret"]] as const) {
      it(`${word}: retires nothing if a secret was created or used during the question`, async () => {
        const { clientId, client } = await newPartner();
        const { sql } = operator.service.books;
        const rotate = (meanwhile: () => Promise<unknown>) =>
          runGold([word, "rotate", clientId, "--overlap", "0"], {
            env: operator.env,
            ask: () => meanwhile().then(() => true),
          });
        const use = () =>
          sql`update gold.${sql(kind)} set last_used_at = clock_timestamp() where partner_id = ${client}`;
        refused(await rotate(use), 1, "was used meanwhile");
        refused(await rotate(() => operator.done(word, "rotate", clientId)), 1, "was created meanwhile");
        const statuses = async () =>
          itemsOf(await operator.done(word, "list", clientId)).map(({ status }) => status);
        assertEquals(await statuses(), ["retiring", "active"]);
        // The retirement must succeed if the question showed the last use, and also if the last use was two
        // hours ago.
        const used = () =>
          sql`update gold.${sql(kind)} set last_used_at = clock_timestamp() - interval '2 hours'`;
        assertEquals((await rotate(() => Promise.resolve())).exit, 0);
        assertEquals((await rotate(used)).exit, 0);
        assertEquals(await statuses(), ["retired", "retired", "retired", "active"]);
      });
    }

    it("encrypts a webhook secret with the current sealing key, and audits no secret", async () => {
      const partner = await newPartner();
      const made = await operator.done("webhook-secret rotate", partner.clientId);
      const { webhook_secret, secret_id, client_id } = made;
      parseWebhookSecret(webhook_secret as string);
      const { sql } = operator.service.books;
      const [stored] = await sql`
        select sealed, sealing_key from gold.webhook_secret where id = ${secret_id as string}::text::int and partner_id = ${partner.client}`;
      const sealing = await createSealing(await readKeys(operator.service.config.sealingKeySource));
      assertEquals(await sealing.open(stored!.sealed, stored!.sealing_key), webhook_secret as string);
      const { client_secret } = await operator.done("secret", "rotate", client_id as string);
      const notes =
        await sql`select login, action, detail::text from gold.audit where subject = ${partner.clientId}`;
      const rotations = notes.filter(({ action }) => action.endsWith("rotate"));
      assertEquals(rotations.map(({ login, action }) => [login, action]), [
        [operator.login, "webhook_secret.rotate"],
        [operator.login, "client_secret.rotate"],
      ]);
      const text = JSON.stringify(notes);
      assert(!text.includes(webhook_secret as string) && !text.includes(client_secret as string));
    });

    it("is refused if five secrets are active", async () => {
      const { clientId } = await newPartner();
      for (let made = 1; made < 5; made++) await operator.done("webhook-secret", "rotate", clientId);
      refused(await operator.gold("webhook-secret", "rotate", clientId), 1, "5 webhook secrets are active");
    });
  });

  describe("list", () => {
    it("shows names and validity without values, only for the given partner", async () => {
      const [partner, other] = [await newPartner(), await newPartner()];
      const [client] = itemsOf(await operator.done("secret", "list", partner.clientId));
      const [webhook] = itemsOf(await operator.done("webhook-secret", "list", other.clientId));
      const life = ["status", "not_before", "retire_at", "last_used_at"];
      assertEquals([client!, webhook!].map((item) => Object.keys(item)), [
        ["secret_id", ...life],
        ["secret_id", "endpoint", ...life],
      ]);
      for (const item of [client!, webhook!]) {
        assertEquals([item.status, item.retire_at, item.last_used_at], ["active", null, null]);
      }
      refused(await operator.gold("secret", "list", "sbx_none"), 1, "There is no partner sbx_none");
    });
  });

  describe("retire", () => {
    async function rotated(word: string) {
      const partner = await newPartner();
      await operator.done(word, "rotate", partner.clientId);
      const [older, newer] = itemsOf(await operator.done(word, "list", partner.clientId));
      return { partner, older: older!.secret_id as string, newer: newer!.secret_id as string };
    }
    const noteUse = (kind: "client_secret" | "webhook_secret", id: string, at: Date) =>
      operator.service.books.sql`
        update gold.${operator.service.books.sql(kind)} set last_used_at = ${at} where id = ${id}::text::int`;

    it("retires a secret at once and permanently", async () => {
      const { partner, older } = await rotated("secret");
      const ended = await operator.done("secret", "retire", partner.clientId, older);
      assertEquals([ended.secret_id, ended.status], [older, "retired"]);
      await operator.service.refresh();
      assertEquals(await askToken(partner, partner.clientSecret), 401);
      refused(
        await operator.gold("secret", "retire", partner.clientId, older, "--yes"),
        1,
        "retired already, since",
      );
    });

    it("asks and shows the last use, with a warning if it was less than an hour ago", async () => {
      const { partner, older } = await rotated("webhook-secret");
      const retire = (answer: boolean) =>
        answering(answer, "webhook-secret", "retire", partner.clientId, older);
      assertStringIncludes((await retire(false)).question, "Its use was never recorded.");
      const long = new Date(Date.now() - 2 * HOUR_MS);
      await noteUse("webhook_secret", older, long);
      const before = await retire(false);
      assert(before.question.endsWith(`It was last used at ${long.toISOString()}.`), before.question);
      const lately = new Date(Date.now() - HOUR_MS / 2);
      await noteUse("webhook_secret", older, lately);
      const within = await retire(false);
      assertStringIncludes(within.question, `${lately.toISOString()}. That is less than an hour ago`);
      refused(within.run, 1, "Nothing was done");
      assertEquals((await retire(true)).run.exit, 0);
    });

    it("does nothing if the secret was used during the question", async () => {
      const { partner, older } = await rotated("secret");
      const ask = async () => {
        await noteUse("client_secret", older, new Date());
        return true;
      };
      const { env } = operator;
      const run = await runGold(["secret", "retire", partner.clientId, older], { env, ask });
      refused(run, 1, "was used meanwhile");
      assertEquals(await askToken(partner, partner.clientSecret), 200);
    });

    it("refuses the last active secret and a secret of another partner", async () => {
      const { partner, newer } = await rotated("secret");
      const last = await operator.gold("secret", "retire", partner.clientId, newer, "--yes");
      refused(last, 1, "suspend the partner");
      const { older: foreign } = await rotated("secret");
      for (const none of [foreign, "0", "x", "9".repeat(20)]) {
        const run = await operator.gold("secret", "retire", partner.clientId, none, "--yes");
        refused(run, 1, `${partner.clientId} has no client secret ${none}.`);
      }
    });
  });
});
