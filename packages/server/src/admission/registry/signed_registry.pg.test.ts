import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { parseOperatorKeys, type RowDocument, storedRows } from "@gold-partner/approvals";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { PendingQuery, Row, Sql } from "postgres";
import { newTestKey } from "../../../testing/partner.ts";
import {
  approveSigned,
  newSignatory,
  operatorKeysOf,
  proposeSigned,
  registerRootKeys,
  type Signatory,
} from "../../../testing/signed_proposals.ts";
import { createLog } from "../../operations/log.ts";
import { readOperatorKeys } from "./operator_keys.ts";
import { openRegistry, type Registry } from "./registry.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { suiteOperators } from "../../booking/operator_fixture.ts";
import { temporaryFolder } from "../../../../../tools/testing/temporary_folder.ts";

const IBAN = "SA0380000000608010167519";

/** A superuser changes rows without two people. The registry must ignore these changes. */
describe("a registry that requires the signatures of two people", () => {
  const books = suiteBooks();
  let superuser: Sql;
  const operators = suiteOperators(books);
  let people: [Signatory, Signatory];
  let registry: Registry;
  const folder = temporaryFolder("gold-test");
  let adopted: { client: number; publicId: string };
  let other: { client: number };
  const log: string[] = [];
  before(async () => {
    adopted = await createPartner(books.sql);
    other = await createPartner(books.sql);
    superuser = books.connect("superuser", 1);
    await superuser`set session_replication_role = replica`;
    people = [await newSignatory(operators[0].sql), await newSignatory(operators[1].sql)];
    await registerRootKeys(books.sql, ...people);
    const path = join(folder, "operator_keys");
    await writeFile(path, await operatorKeysOf(...people));
    const lines = createLog((line) => void log.push(line), () => new Date());
    const api = books.connect("gold_api", 1);
    const keys = await readOperatorKeys({ environment: "production", operatorKeys: path }, lines, api);
    registry = await openRegistry(api, () => performance.now(), lines, keys);
  });
  after(() => registry?.stop());

  async function createPartner(sql: Sql) {
    const publicId = `sbx_${randomBytes(10).toString("hex")}`;
    const { thumbprint, publicJwk } = await newTestKey();
    const keys = JSON.stringify([{ thumbprint, kid: null, jwk: publicJwk }]);
    const [row] = await sql`
      select gold.create_partner(${publicId}, 'Bank', ${IBAN}, 'https://localhost/', 50, 50, 10000000, '{127.0.0.1/32}',
        ${randomBytes(32)}, ${randomBytes(60)}, 'none', ${keys}::text::jsonb) as client`;
    return { client: row!.client as number, publicId };
  }
  async function byTwo(kind: string, content: object): Promise<string> {
    const proposal = await proposeSigned(people[0], kind, content);
    await approveSigned(people[1], proposal);
    return proposal.id;
  }
  const certificateOf = (client_id: string, fingerprint: string) => ({
    ...{ client_id, fingerprint, serial: "4a" },
    ...{ not_before: "2026-01-01T00:00:00.000Z", not_after: "2099-01-01T00:00:00.000Z" },
  });
  /** A partner with a certificate and a second signing key, all made by two people. */
  async function newSignedPartner() {
    const publicId = `sbx_${randomBytes(10).toString("hex")}`;
    const [first, second] = [await newTestKey(), await newTestKey()];
    const fingerprint = randomBytes(32).toString("hex");
    const created = await byTwo("partner.create", {
      client_id: publicId,
      name: "Bank",
      iban: IBAN,
      webhook_url: "https://localhost/",
      rate_per_second: 50,
      burst: 50,
      maximum_grams: "10000000",
      ips: ["127.0.0.1/32", "10.0.0.0/8"],
      secret_hash: randomBytes(32).toString("hex"),
      webhook_sealed: randomBytes(60).toString("hex"),
      sealing_key: "none",
      keys: [{ thumbprint: first.thumbprint, kid: "first", jwk: first.publicJwk }],
      limits: {},
    });
    const issued = await byTwo("certificate.issue", certificateOf(publicId, fingerprint));
    const added = await byTwo("signing_key.add", {
      client_id: publicId,
      thumbprint: second.thumbprint,
      kid: null,
      jwk: second.publicJwk,
    });
    const rotated = await byTwo("client_secret.rotate", {
      client_id: publicId,
      hash: randomBytes(32).toString("hex"),
      overlap_seconds: 3600,
    });
    return { publicId, fingerprint, first, second, created, issued, added, rotated };
  }
  type SignedPartner = Awaited<ReturnType<typeof newSignedPartner>>;

  async function reload() {
    await superuser`update gold.registry_version set version = version + 1`;
    return await registry.refresh();
  }
  /** How many ranges, secrets, signing keys and certificates of the partner the registry has. */
  async function countsOf({ publicId }: { publicId: string }) {
    const { partners, certificates } = await reload();
    const { ips, secrets, signingKeys } = partners.get(publicId)!;
    const own = [...certificates.values()].filter(({ partner }) => partner.publicId === publicId);
    return [ips, secrets, signingKeys, own].map((rows) => rows.length).join(" ");
  }
  const skipped = ({ publicId }: { publicId: string }) =>
    log.map((line) => JSON.parse(line)).filter(({ client_id }) => client_id === publicId)
      .map(({ row, code }) => `${row} ${code}`);

  it("has every row that two people signed", async () => {
    const partner = await newSignedPartner();
    assertEquals(await countsOf(partner), "2 2 2 1");
    assertEquals(skipped(partner), []);
  });

  it("skips and reports each row that a superuser added, and keeps the signed ones", async () => {
    const partner = await newSignedPartner();
    const [{ id }] = await superuser<[{ id: number }]>`
      select id from gold.partner where public_id = ${partner.publicId}`;
    const { thumbprint, publicJwk } = await newTestKey();
    const fingerprint = randomBytes(32).toString("hex");
    await superuser`insert into gold.signing_key (partner_id, thumbprint, jwk)
      values (${id}, ${thumbprint}, ${superuser.json({ ...publicJwk } as never)})`;
    await superuser`insert into gold.certificate (fingerprint, partner_id, serial, not_before, not_after)
      values (${fingerprint}, ${id}, '01', now(), now() + interval '1 year')`;
    const [secret] = await superuser`
      insert into gold.client_secret (partner_id, hash) values (${id}, '\\x01') returning id`;
    await superuser`insert into gold.allowed_ip (partner_id, range) values (${id}, '0.0.0.0/0')`;
    assertEquals(await countsOf(partner), "2 2 2 1");
    assertEquals(
      skipped(partner).sort(),
      [
        "allowed_ip 0.0.0.0/0 unsigned",
        `certificate ${fingerprint} unsigned`,
        `client_secret ${secret!.id} unsigned`,
        `signing_key ${thumbprint} unsigned`,
      ].sort(),
    );
    assert(registry.malformedRows() >= 4);
  });

  it("skips a row that a superuser edited", async () => {
    const ofPartner = (publicId: string) =>
      superuser`partner_id = (select id from gold.partner where public_id = ${publicId})`;
    const certificate =
      (change: (partner: SignedPartner) => PendingQuery<Row[]>) => (partner: SignedPartner) =>
        superuser`update gold.certificate set ${change(partner)} where fingerprint = ${partner.fingerprint}`;
    const edits: [(partner: SignedPartner) => PromiseLike<unknown>, string][] = [
      [certificate(() => superuser`not_after = 'infinity'`), "2 2 2 0"],
      [certificate(() => superuser`not_after = '2100-01-01'`), "2 2 2 0"],
      [certificate(() => superuser`partner_id = ${other.client}`), "2 2 2 0"],
      [
        ({ second, first }) =>
          superuser`update gold.signing_key set jwk = ${superuser.json({ ...first.publicJwk } as never)}
          where thumbprint = ${second.thumbprint}`,
        "2 2 1 1",
      ],
      [
        ({ first }) =>
          superuser`update gold.signing_key set kid = 'another' where thumbprint = ${first.thumbprint}`,
        "2 2 1 1",
      ],
      [
        ({ publicId }) =>
          superuser`update gold.client_secret set hash = '\\x02' where ${ofPartner(publicId)}`,
        "2 0 2 1",
      ],
      [({ publicId }) =>
        superuser`update gold.allowed_ip set range = '203.0.113.0/24'
          where range = '10.0.0.0/8' and ${ofPartner(publicId)}`, "1 2 2 1"],
    ];
    for (const [edit, expected] of edits) {
      const partner = await newSignedPartner();
      await edit(partner);
      assertEquals(await countsOf(partner), expected);
    }
  });

  it("skips the rows of an approval that a superuser edited or deleted", async () => {
    const edits = [
      "update gold.proposal set approver_signature = proposer_signature",
      "update gold.proposal set approver_signature = null",
      "update gold.proposal set proposer = 'mallory'",
      "update gold.proposal set decided_at = expires_at",
      `update gold.proposal set content = content || '{"serial": "4b"}'`,
      `update gold.proposal set content = '"text"'`,
      "delete from gold.proposal",
    ];
    for (const edit of edits) {
      const partner = await newSignedPartner();
      assertEquals(await countsOf(partner), "2 2 2 1");
      await superuser.unsafe(`${edit} where id = '${partner.issued}'`);
      assertEquals(await countsOf(partner), "2 2 2 0");
      assertEquals(skipped(partner), [`certificate ${partner.fingerprint} unsigned`]);
    }
  });

  it("uses only the addresses that two people signed last", async () => {
    const partner = await newSignedPartner();
    await byTwo("partner.set", { client_id: partner.publicId, ips: ["192.0.2.0/24"] });
    assertEquals((await reload()).partners.get(partner.publicId)!.ips, ["192.0.2.0/24"]);
    await superuser`update gold.allowed_ip set range = '10.0.0.0/8'
      where partner_id = (select id from gold.partner where public_id = ${partner.publicId})`;
    assertEquals((await reload()).partners.get(partner.publicId)!.ips, []);
  });

  it("does not follow a key that a superuser registered", async () => {
    const mallory = await newSignatory(operators[0]!.sql);
    const text = mallory.key.publicKey;
    await superuser`insert into gold.operator_key (fingerprint, login, public_key, admitted_by, added_at)
      values (${text.fingerprint}, ${mallory.login}, ${text.text}, 'root', now())`;
    const fingerprint = randomBytes(32).toString("hex");
    const partner = await newSignedPartner();
    const certificate = certificateOf(partner.publicId, fingerprint);
    await approveSigned(people[1], await proposeSigned(mallory, "certificate.issue", certificate));
    assertEquals(await countsOf(partner), "2 2 2 1");
    await superuser`delete from gold.operator_key where fingerprint = ${text.fingerprint}`;
  });

  it("skips rows from before the first operator key until two people adopt them", async () => {
    assertEquals(await countsOf(adopted), "0 0 0 0");
    const [{ rows }] = await books.sql<[{ rows: RowDocument }]>`select gold.read_rows() as rows`;
    const partners = rows.partners.filter(({ public_id }) => public_id === adopted.publicId);
    await byTwo("registry.adopt", {
      rows: storedRows({ partners, authorities: [], payees: [], payer: null }),
    });
    assertEquals(await countsOf(adopted), "1 1 1 0");
    const forms = [{ rows: [] }, { rows: [["x"]] }, { rows: [["x", 1]] }, { rows: {} }];
    for (const content of forms) {
      const refused = await proposeSigned(people[0], "registry.adopt", content).catch((error) =>
        error.message
      );
      assertMatch(String(refused), /list of pairs of texts/);
    }
  });

  it("reads the file of the first keys, and names the setting if it cannot", async () => {
    const lines = createLog(() => {}, () => new Date());
    const path = join(folder, "broken");
    await writeFile(path, "nobody\n");
    for (const operatorKeys of [path, join(folder, "missing")]) {
      const fault = await readOperatorKeys({ environment: "production", operatorKeys }, lines, books.api)
        .catch(({ message }) => message);
      assertMatch(String(fault), /^OPERATOR_KEYS: /);
    }
    assertEquals((await parseOperatorKeys(await operatorKeysOf(...people))).keys.length, 2);
  });
});
