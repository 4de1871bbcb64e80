import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { auditBooks, withSnapshot } from "@gold-partner/audit";
import type { ChangeReply } from "@gold-partner/protocol";
import postgres from "postgres";
import { expectProblem, newTestKey, type TestKey, type TestPartner } from "@gold-partner/server/testing";
import { assertEquals, assertStringIncludes } from "@std/assert";
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
          where datname = current_database() and wait_event_type = 'Lock' and query ~ 'take_change|propose_change'`)
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

  it("take changes nothing if a colleague declines the request meanwhile", async () => {
    const partner = await operator.service.addPartner();
    const late = await takeTooLate(await ask(partner, ENDPOINT));
    assertRefused(late, 1, "the request is declined already");
    assertEquals(await receivers(partner), []);
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

    async function approving(proposal: unknown) {
      const { done, gold } = operator.colleague;
      const id = proposal as string;
      const { sha256 } = await done("proposal", "show", id);
      const expects = await expectsOf((words, ...more) => done(...words.split(" "), ...more), id);
      return await gold("proposal", "approve", id, "--yes", "--sha256", sha256 as string, ...expects);
    }
    const approve = async (proposal: unknown) => {
      const { exit, err } = await approving(proposal);
      assertEquals(exit, 0, err);
    };

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

    it("take proposes nothing if a colleague declines the request meanwhile", async () => {
      const partner = await operator.service.addPartner();
      const late = await takeTooLate(await ask(partner, RANGE));
      assertRefused(late, 1, "the request is declined already");
      const proposed = await operator.service.books.sql`
        select from gold.proposal where content ->> 'client_id' = ${partner.clientId}`;
      assertEquals(proposed.length, 0);
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

    /** Calls a function as the operator, whose login may do it with any program. */
    async function calling(use: (sql: postgres.Sql) => Promise<unknown>): Promise<string> {
      const sql = postgres(operator.url, { max: 1 });
      try {
        return await use(sql).then(() => "done", (error) => error.message as string);
      } finally {
        await sql.end();
      }
    }
    const contentOf = async (proposal: unknown) => {
      const [row] = await operator.service.books.sql`
        select content from gold.proposal where id = ${proposal as string}::uuid`;
      return row!.content as Record<string, unknown>;
    };
    const proposing = (id: string, content: object, certificate: string | null = null) =>
      calling((sql) =>
        sql`
        select gold.propose_change(${id.slice(4)}::uuid, ${sql.json(content as never)}::jsonb, ${certificate},
          null, null, '3 days')`
      );
    const storedCertificate = async (id: string) => {
      const [row] = await operator.service.books.sql`
        select certificate from gold.change_request where id = ${id.slice(4)}::uuid`;
      return row!.certificate as string;
    };

    it("what answers a request equals all of it, whatever program proposes it", async () => {
      const [partner, other] = [await operator.service.addPartner(), await operator.service.addPartner()];
      const [key, otherKey] = [await newTestKey(), await newTestKey()];
      const named = { ...key.publicJwk, kid: "hsm-2" };
      const present = ["127.0.0.1/32", "::1/128"];
      const ranges = [...present, RANGE.ip_range];
      const cases: readonly [body: object, others: readonly Record<string, unknown>[]][] = [
        [{ webhook_endpoint: { url: "https://Hooks.example:443/gold" } }, [
          { url: "https://evil.example/gold" },
          { url: "https://Hooks.example:443/gold" },
          { types: ["order.executed"] },
        ]],
        [ENDPOINT, [{ types: ["withdrawal.paid"] }, { types: undefined }]],
        [{ signing_key: named }, [
          { kid: "hsm-1" },
          { kid: null },
          { kid: undefined },
          { thumbprint: otherKey.thumbprint, jwk: otherKey.publicJwk },
        ]],
        [{ signing_key: otherKey.publicJwk }, [{ kid: "hsm-2" }]],
        [RANGE, [
          { ips: [...ranges, "203.0.113.0/24"] },
          { ips: [RANGE.ip_range] },
          { ips: present },
          { ips: ranges.slice(1) },
          { ips: undefined },
          { name: "Another" },
          { webhook_url: "https://evil.example/" },
          { limits: { open_quotes: 1000 } },
        ]],
        [await request(partner), [{ key_hash: "ab".repeat(32) }, { key_hash: undefined }]],
      ];
      for (const [body, others] of cases) {
        const id = await ask(partner, body);
        const proposal = (await operator.done("change", "take", id)).proposal_id as string;
        const right = await contentOf(proposal);
        assertEquals(right.request, id);
        const certificate = "certificate_request" in body ? await storedCertificate(id) : null;
        await operator.done("proposal", "reject", proposal);
        for (const change of [...others, { client_id: other.clientId }]) {
          const wrong = JSON.parse(JSON.stringify({ ...right, ...change }));
          assertStringIncludes(
            await proposing(id, wrong, certificate),
            "not what the partner asked for",
            JSON.stringify(change),
          );
        }
        const { request: _, ...unnamed } = right;
        assertStringIncludes(await proposing(id, unnamed, certificate), "must name the request");
        assertEquals(await proposing(id, right, certificate), "done");
        assertStringIncludes(await proposing(id, right, certificate), "is proposed already");
        const [{ proposal_id }] = [await operator.done("change", "show", id)];
        await operator.done("proposal", "reject", proposal_id as string);
        await operator.done("change", "decline", id, "--reason", "Tried");
      }
    });

    it("the partner never reads approved for a change that its request was not compared with", async () => {
      const partner = await operator.service.addPartner();
      const url = "https://127.0.0.1:9/gold";
      const id = await ask(partner, { webhook_endpoint: { url } });
      // Another URL, and a proposal that does not name the request.
      for (const other of ["https://evil.example/", url]) {
        const { proposal_id } = await operator.done("endpoint", "add", partner.clientId, "--url", other);
        const refusal = await calling((sql) =>
          sql`select gold.take_change(${id.slice(4)}::uuid, ${proposal_id as string}::uuid, null)`
        );
        await approve(proposal_id);
        const { status, webhook_endpoint } = await read(partner, id);
        assertEquals([status, webhook_endpoint?.url], ["requested", url], other);
        assertStringIncludes(refusal, "cannot take up a request");
      }
      // A proposal that names the request, and was not taken up.
      const { proposal_id } = await operator.done("change", "take", id);
      const content = await contentOf(proposal_id);
      await operator.done("proposal", "reject", proposal_id as string);
      assertEquals(
        await calling((sql) =>
          sql`select gold.propose('endpoint.add', ${sql.json(content as never)}::jsonb)`
        ),
        "done",
      );
      const [loose] = await operator.service.books.sql`
        select id from gold.proposal where state = 'pending' and content ->> 'request' = ${id}`;
      assertRefused(await approving(loose!.id), 1, "was not taken up with this proposal");
      assertEquals((await read(partner, id)).status, "requested");
      assertStringIncludes(
        await calling((sql) =>
          sql`
          select gold.propose('endpoint.add', ${
            sql.json({ ...content, url: "https://evil.example/" } as never)
          }::jsonb)`
        ),
        "not what the partner asked for",
      );
    });

    it("approve refuses a certificate for another key, whatever its proposal states", async () => {
      const [partner, other] = [await operator.service.addPartner(), await operator.service.addPartner()];
      const [id, evil] = [await ask(partner, await request(partner)), await ask(other, await request(other))];
      const proposals = [];
      for (const each of [id, evil]) {
        proposals.push((await operator.done("change", "take", each)).proposal_id);
      }
      const content = {
        ...await contentOf(proposals[0]),
        fingerprint: (await contentOf(proposals[1])).fingerprint,
      };
      const certificate = await storedCertificate(evil);
      for (const proposal of proposals) await operator.done("proposal", "reject", proposal as string);
      assertEquals(await proposing(id, content, certificate), "done");
      const { proposal_id } = await operator.done("change", "show", id);
      assertRefused(await approving(proposal_id), 4, "not for the key that the partner asked for");
      await operator.done("proposal", "reject", proposal_id as string);
    });

    it("a request from before the upgrade can only be declined, also if its proposal waits", async () => {
      const { sql } = operator.service.books;
      const partner = await operator.service.addPartner();
      const [waiting, proposed] = [await ask(partner, ENDPOINT), await ask(partner, RANGE)];
      const range = ["partner", "set", partner.clientId, "--ip", "127.0.0.1", "--ip", RANGE.ip_range];
      const proposal = (await operator.done(...range)).proposal_id as string;
      // As an earlier version stored and noted them.
      await sql`
        update gold.change_request set wanted = null where id in (${waiting.slice(4)}::uuid, ${
        proposed.slice(4)
      }::uuid)`;
      await sql`
        update gold.change_request set taken_by = ${operator.login}, taken_at = clock_timestamp(), proposal = ${proposal}::uuid
        where id = ${proposed.slice(4)}::uuid`;
      for (const id of [waiting, proposed]) {
        assertEquals((await read(partner, id)).status, "requested");
        assertRefused(
          await operator.gold("change", "take", id),
          1,
          "It was requested before an upgrade, and can only be declined.",
        );
        const content = { client_id: partner.clientId, request: id };
        assertStringIncludes(await proposing(id, content), "is from before an upgrade");
      }
      assertRefused(await approving(proposal), 1, "which the proposal does not name");
      for (const id of [waiting, proposed]) {
        await operator.done("change", "decline", id, "--reason", "Request it again");
        assertEquals((await read(partner, id)).status, "declined");
      }
      assertRefused(await approving(proposal), 1, "which the proposal does not name");
      await operator.done("proposal", "reject", proposal);
    });

    it("the audit compares each answer with its request again", async () => {
      const { sql, url } = operator.service.books;
      const partner = await operator.service.addPartner();
      const [endpoint, certificate] = [
        await ask(partner, ENDPOINT),
        await ask(partner, await request(partner)),
      ];
      for (const id of [endpoint, certificate]) {
        await approve((await operator.done("change", "take", id)).proposal_id);
      }
      const other = "https://evil.example/";
      const { proposal_id } = await operator.done("endpoint", "add", partner.clientId, "--url", other);
      await approve(proposal_id);
      const found = async () => {
        const { findings } = await withSnapshot(url, (audit) => auditBooks(audit, { rowsOnly: true }));
        // The fixture of the service registers the first addresses without an audit row.
        const ranges =
          await sql`select 'change ' || id as row from gold.change_request where kind = 'ip_range'`;
        return findings.filter(({ rule }) => /^request_(is_answered|matches)$/.test(rule)).map(({ row }) =>
          row
        )
          .filter((row) => !ranges.some((range) => range.row === row)).sort();
      };
      assertEquals(await found(), []);
      const [{ proposal }] = [
        (await sql`
        select proposal::text from gold.change_request where id = ${endpoint.slice(4)}::uuid`)[0]!,
      ];
      const [foreign] = await sql`
        select certificate from gold.change_request
        where certificate is not null and id <> ${certificate.slice(4)}::uuid limit 1`;
      const wanted = JSON.stringify({ types: ["order.executed"], url: other });
      const edits: readonly [id: string, column: string, value: string, rows: readonly string[]][] = [
        [endpoint, "wanted", wanted, [`change ${endpoint.slice(4)}`, `change ${endpoint.slice(4)} wanted`]],
        [endpoint, "proposal", proposal_id as string, [
          `change ${endpoint.slice(4)}`,
          ...[proposal, proposal_id].map((each) => `proposal ${each} request`).sort(),
        ]],
        [certificate, "certificate", foreign!.certificate, [`change ${certificate.slice(4)} certificate`]],
      ];
      for (const [id, column, value, rows] of edits) {
        const set = (text: string) =>
          sql.unsafe(`update gold.change_request set ${column} = $1 where id = '${id.slice(4)}'`, [text]);
        const [before] = await sql.unsafe(
          `select ${column}::text as value from gold.change_request where id = '${id.slice(4)}'`,
        );
        await set(value);
        assertEquals(await found(), rows, column);
        await set(before!.value);
      }
      assertEquals(await found(), []);
    });

    it("says that the partner asked over the API, and that a range is added", async () => {
      const partner = await operator.service.addPartner();
      const id = await ask(partner, RANGE);
      assertStringIncludes((await operator.gold("change", "show", id)).out, "compare by another channel");
      const { proposal_id } = await operator.done("change", "take", id);
      const { consequences } = await operator.done("proposal", "show", proposal_id as string);
      assertEquals(
        consequences,
        `Asked by the partner over the API: compare by another channel. It is the request ${id}. The terms of ` +
          `${partner.clientId} change at once. ${RANGE.ip_range} is added: calls are accepted from there, too.`,
      );
      await operator.done("proposal", "reject", proposal_id as string);
      const narrowed = await operator.done("partner", "set", partner.clientId, "--ip", RANGE.ip_range);
      const shown = await operator.done("proposal", "show", narrowed.proposal_id as string);
      assertStringIncludes(
        `${shown.consequences}`,
        "Calls are no longer accepted from 127.0.0.1/32, ::1/128.",
      );
    });
  });
});
