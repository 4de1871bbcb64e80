import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import type { ChangeReply } from "@gold-partner/protocol";
import postgres from "postgres";
import { expectProblem, newTestKey, type TestKey, type TestPartner } from "@gold-partner/server/testing";
import { assertEquals, assertStringIncludes } from "../../../../../tools/testing/assert.ts";
import { expectsOf } from "../../../../../tools/testing/by_two.ts";
import { until } from "../../../../../tools/testing/until.ts";
import { keepRequest } from "../credentials/authority_fixture.ts";
import { assertRefused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

const PATH = "/v1/account/changes";
const RANGE = { ip_range: "198.51.100.0/24" };
const ENDPOINT = { webhook_endpoint: { url: "https://127.0.0.1:9/gold", types: ["order.executed"] } };

describe("gold change", () => {
  let operator: TestOperator;
  before(async () => {
    operator = await testOperator();
    await operator.done("ca", "init", "--key", operator.path("ca.key"));
  });
  after(() => operator?.stop());

  async function ask(partner: TestPartner, body: object): Promise<string> {
    const reply = await operator.service.signed(PATH, JSON.stringify(body), { partner });
    const { change_id } = await reply.json() as ChangeReply;
    assertEquals(reply.status, 201);
    return change_id;
  }
  const read = async (partner: TestPartner, id: string) =>
    await (await operator.service.send(`${PATH}/${id}`, { method: "GET", partner })).json() as ChangeReply;
  async function order(partner: TestPartner, more: { key?: TestKey; headers?: Record<string, string> }) {
    await operator.service.refresh();
    return await operator.service.signed("/v1/orders", '{"quote_id":"qt_none"}', { partner, ...more });
  }
  const fromRange = { headers: { "X-Client-Ip": "198.51.100.7" } };
  const receivers = async ({ client }: TestPartner) =>
    (await operator.service.books.sql`
      select url, types from gold.receiver where partner_id = ${client} and number > 1`).map((row) => ({
      ...row,
    }));
  const certificates = async ({ clientId }: TestPartner) =>
    itemsOf(await operator.done("cert", "list", clientId)).map(({ fingerprint }) => fingerprint);
  /** Takes `id` up, and declines it after the change was made and before the request is marked as taken. */
  async function takeTooLate(id: string) {
    const { sql } = operator.service.books;
    let taken;
    await sql.begin(async (colleague) => {
      await colleague`select gold.hold_change(${id.slice(4)}::uuid)`;
      taken = operator.gold("change", "take", id, "--json");
      await until(async () =>
        (await sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%take_change%'`)
          .length > 0
      );
      await colleague`select gold.decline_change(${id.slice(4)}::uuid, 'Not confirmed')`;
    });
    return await taken!;
  }
  const request = async (partner: TestPartner) => ({
    certificate_request: await readFile(await keepRequest(operator, partner.clientId), "utf8"),
  });

  it("take makes each change at once with a single operator", async () => {
    const partner = await operator.service.addPartner();
    const key = await newTestKey("hsm-2");
    const first = await ask(partner, { signing_key: { ...key.publicJwk, kid: "hsm-2" } });
    await expectProblem(order(partner, { key }), "signature_invalid");
    const shown = await operator.done("change", "show", first);
    assertEquals([shown.thumbprint, shown.kid, shown.status], [key.thumbprint, "hsm-2", "requested"]);
    const taken = await operator.done("change", "take", first);
    assertEquals([taken.change_id, taken.thumbprint], [first, key.thumbprint]);
    await expectProblem(order(partner, { key }), "not_found");
    assertEquals((await read(partner, first)).status, "approved");
    assertRefused(await operator.gold("change", "take", first), 1, "is approved already");
    assertRefused(await operator.gold("change", "decline", first, "--reason", "Late"), 1, "approved already");

    const others = await Promise.all(
      [RANGE, ENDPOINT, await request(partner)].map((body) => ask(partner, body)),
    );
    const made = [];
    for (const id of others) made.push(await operator.done("change", "take", id));
    await expectProblem(order(partner, fromRange), "not_found");
    assertStringIncludes(made[1]!.webhook_secret as string, "whsec_");
    assertEquals(await receivers(partner), [{
      url: ENDPOINT.webhook_endpoint.url,
      types: ["order.executed"],
    }]);
    const { certificate } = await read(partner, others[2]!);
    const fingerprint = new X509Certificate(certificate!).fingerprint256.replaceAll(":", "").toLowerCase();
    assertEquals([made[2]!.fingerprint, (await certificates(partner)).at(-1)], [fingerprint, fingerprint]);
    await operator.done("cert", "revoke", fingerprint);
    assertEquals((await read(partner, others[2]!)).certificate, null);
  });

  it("take refuses what signing-key add, cert issue, partner set and endpoint add refuse, and the request stays open", async () => {
    const [partner, other] = [await operator.service.addPartner(), await operator.service.addPartner()];
    const foreign = await ask(partner, { signing_key: other.signingKey.publicJwk });
    assertRefused(await operator.gold("change", "take", foreign), 1, `registered for ${other.clientId}`);
    const misnamed = await ask(partner, await request(other));
    assertRefused(await operator.gold("change", "take", misnamed), 1, other.clientId);
    const known = await ask(partner, { ip_range: "127.0.0.1" });
    assertRefused(await operator.gold("change", "take", known), 1, "127.0.0.1/32 is registered already");
    for (const id of [foreign, misnamed, known]) {
      assertEquals((await read(partner, id)).status, "requested");
      await operator.done("change", "decline", id, "--reason", "Not yours");
    }
    const { status, reason, decided_at } = await read(partner, known);
    assertEquals([status, reason, decided_at === null], ["declined", "Not yours", false]);
    assertRefused(await operator.gold("change", "take", known), 1, "is declined already");
    assertRefused(await operator.gold("change", "show", "chg_none"), 2, "CHG must be an id");
  });

  it("take says that the change was made if a colleague declines the request meanwhile", async () => {
    const partner = await operator.service.addPartner();
    const late = await takeTooLate(await ask(partner, ENDPOINT));
    assertRefused(late, 1, "could not be marked as taken: the request is declined already");
    assertRefused(late, 1, "The change was made.");
    assertRefused(late, 1, `gold webhook-secret rotate ${partner.clientId} --endpoint 2.`);
    assertEquals((await receivers(partner)).length, 1);
    await operator.done("webhook-secret", "rotate", partner.clientId, "--endpoint", "2");
  });

  it("list and inbox show what waits, and a part of an id is enough", async () => {
    const partner = await operator.service.addPartner();
    const id = await ask(partner, RANGE);
    const items = itemsOf(await operator.done("change", "list", partner.clientId));
    assertEquals(items.map(({ change_id, kind, status }) => [change_id, kind, status]), [
      [id, "ip_range", "requested"],
    ]);
    const inbox = itemsOf(await operator.done("inbox"));
    assertEquals(inbox.find(({ next }) => next === `gold change show ${id}`)?.about, "ip range of Test Bank");
    await operator.done("change", "decline", id.slice(-8), "--reason", "Enough");
    assertEquals((await read(partner, id)).status, "declined");
  });

  describe("under two people", () => {
    before(() => operator.service.books.sql`select gold.require_two_people()`);

    async function approve(proposal: unknown) {
      const { done } = operator.colleague;
      const id = proposal as string;
      const { sha256 } = await done("proposal", "show", id);
      const expects = await expectsOf((words, ...more) => done(...words.split(" "), ...more), id);
      await done("proposal", "approve", id, "--sha256", sha256 as string, ...expects);
    }

    it("take proposes, and nothing acts before another person has approved", async () => {
      const partner = await operator.service.addPartner();
      const key = await newTestKey();
      const before = await certificates(partner);
      const bodies = [{ signing_key: key.publicJwk }, await request(partner), RANGE];
      const ids = await Promise.all(bodies.map((body) => ask(partner, body)));
      const taken = [];
      for (const id of ids) taken.push(await operator.done("change", "take", id));
      const actsNot = async () => {
        await expectProblem(order(partner, { key }), "signature_invalid");
        await expectProblem(order(partner, fromRange), "ip_not_allowed");
        assertEquals([await certificates(partner), await receivers(partner)], [before, []]);
      };
      await actsNot();
      for (const [index, id] of ids.entries()) {
        const { status, decided_at, certificate } = await read(partner, id);
        assertEquals([status, decided_at, certificate], ["proposed", null, null]);
        const proposal = taken[index]!.proposal_id as string;
        assertEquals((await operator.done("change", "show", id)).proposal_id, proposal);
        const { sha256 } = await operator.done("proposal", "show", proposal);
        // The person who took the request up proposed the change, and cannot approve it.
        const own = await operator.gold(
          "proposal",
          "approve",
          proposal,
          "--yes",
          "--sha256",
          sha256 as string,
        );
        assertEquals(own.exit, 1);
        assertRefused(
          await operator.gold("change", "decline", id, "--reason", "Late"),
          1,
          `proposal ${proposal}`,
        );
      }
      await actsNot();
      for (const { proposal_id } of taken) await approve(proposal_id);
      await expectProblem(order(partner, { key }), "not_found");
      await expectProblem(order(partner, fromRange), "not_found");
      const { certificate, status } = await read(partner, ids[1]!);
      const fingerprint = new X509Certificate(certificate!).fingerprint256.replaceAll(":", "").toLowerCase();
      assertEquals([status, await certificates(partner)], ["approved", [...before, fingerprint]]);

      const endpoint = await ask(partner, ENDPOINT);
      const { proposal_id } = await operator.done("change", "take", endpoint);
      assertEquals(await receivers(partner), []);
      await approve(proposal_id);
      assertEquals((await receivers(partner)).length, 1);
      const secrets = await operator.done("proposal", "show", proposal_id as string, "--secrets");
      assertStringIncludes(JSON.stringify(secrets), "whsec_");
    });

    it("take names its proposal if a colleague declines the request meanwhile", async () => {
      const partner = await operator.service.addPartner();
      const late = await takeTooLate(await ask(partner, RANGE));
      const [, proposal] = /gold proposal reject ([0-9a-f-]{36})[.]/.exec(late.err) ?? [];
      assertRefused(late, 1, `The proposal ${proposal} was made. Reject it`);
      await operator.done("proposal", "reject", proposal!);
    });

    it("a request waits again after its proposal was rejected or has expired", async () => {
      const partner = await operator.service.addPartner();
      const id = await ask(partner, RANGE);
      const { proposal_id } = await operator.done("change", "take", id);
      assertRefused(await operator.gold("change", "take", id), 1, "is proposed already");
      await operator.colleague.done("proposal", "reject", proposal_id as string);
      assertEquals((await read(partner, id)).status, "requested");
      const again = await operator.colleague.done("change", "take", id);
      const { sql } = operator.service.books;
      await sql`alter table gold.proposal disable trigger all`;
      await sql`
        update gold.proposal set expires_at = clock_timestamp() where id = ${again
        .proposal_id as string}::uuid`;
      await sql`alter table gold.proposal enable trigger all`;
      assertEquals((await read(partner, id)).status, "requested");
      await operator.done("change", "decline", id, "--reason", "Not confirmed");
      assertEquals((await read(partner, id)).status, "declined");
    });

    it("no login can note a change without its own proposal of what the partner requested", async () => {
      const [partner, other] = [await operator.service.addPartner(), await operator.service.addPartner()];
      const [id, keyId] = [
        await ask(partner, RANGE),
        await ask(partner, { signing_key: (await newTestKey()).publicJwk }),
      ];
      const endpoint = await ask(partner, { webhook_endpoint: { url: ENDPOINT.webhook_endpoint.url } });
      const foreign = await ask(other, RANGE);
      const sql = postgres(operator.url, { max: 1 });
      const noted = async (change: string, proposal: unknown) =>
        await sql`select gold.take_change(${change.slice(4)}::uuid, ${proposal as string}::uuid, null)`
          .then(() => "noted", (error) => error.message as string);
      const propose = async (who: Pick<TestOperator, "done">, ...words: string[]) =>
        (await who.done(...words)).proposal_id;
      const { clientId } = partner;
      const range = ["partner", "set", clientId, "--ip", "127.0.0.1", "--ip", RANGE.ip_range];
      try {
        assertEquals(await noted(id, null), "name the proposal that answers the request");
        const wrong = [
          await propose(operator, "change", "take", foreign),
          await propose(operator, "change", "take", keyId),
          await propose(operator, "partner", "set", clientId, "--ip", "192.0.2.0/24"),
          await propose(operator, "partner", "set", clientId, "--name", "Another"),
          await propose(operator.colleague, ...range),
        ];
        const pairs = [...wrong.map((proposal) => [id, proposal] as const), [endpoint, wrong[3]] as const];
        for (const [change, proposal] of pairs) {
          assertStringIncludes(await noted(change, proposal), "does not answer the request, or is not yours");
        }
        assertEquals((await read(partner, id)).status, "requested");
        assertEquals(await noted(id, await propose(operator, ...range)), "noted");
        assertEquals((await read(partner, id)).status, "proposed");
      } finally {
        await sql.end();
      }
    });
  });
});
