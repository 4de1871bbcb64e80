// Compares credentials, IBANs and webhook URLs with the events in the partner's own chain, and changes with the
// requests that they answer.
import { X509Certificate } from "node:crypto";
import type { Findings } from "../findings.ts";
import type { Note } from "../registry/notes.ts";
import { type Connection, Cursor, type Row } from "../snapshot.ts";
import { selectFrom, type Table } from "../tables.ts";
import { instantText, objectOf, sha256Hex } from "../values.ts";
import { CHANGE_TYPES } from "./chain_line.ts";
import type { Books } from "./context.ts";
import type { Lookups } from "./lookups.ts";
import { spellRange } from "./requested_change.ts";

/** Returns the row with this event's members. Removes it from the lookup, so that unreported rows remain. */
export function takeChange({ findings }: Books, { changes }: Lookups, event: Row): Row | undefined {
  const change = changes.get(event.sequence);
  if (!CHANGE_TYPES.includes(event.type) || !change) return undefined;
  changes.delete(event.sequence);
  const stated = change.iban !== null
    ? "settlement.changed"
    : change.webhook_url !== null
    ? "webhook_endpoint.changed"
    : "credential.";
  if (!event.type.startsWith(stated)) {
    const row = `partner_change ${event.client_id} ${event.sequence}`;
    findings.add("event_has_record", row, event.type, stated);
  }
  return change;
}

interface Credential {
  readonly kind: string;
  readonly id: string;
  readonly kid: string | null;
  readonly from: number;
  readonly until: number | null;
}

type Registry = Readonly<Partial<Record<Table, readonly Row[]>>>;

/** Compares the newest state that the events give with the rows of the registry. */
export async function checkPartnerChanges(
  sql: Connection,
  findings: Findings,
  registry: Registry,
): Promise<void> {
  const owned = credentialsByPartner(registry);
  const cursor = await Cursor.open(
    sql,
    "audit_changes",
    selectFrom("partner_change", "order by client_id, sequence"),
  );
  const types = new Map(
    (await sql.unsafe(
      selectFrom(
        "event",
        `where type in (${CHANGE_TYPES.map((type) => `'${type}'`).join(", ")})`,
        "client_id sequence created_at type",
      ),
    )).map((row) => [`${row.client_id} ${row.sequence}`, row] as const),
  );
  for (const { id, public_id, iban } of registry.partner ?? []) {
    const changes: Row[] = [];
    while (cursor.row && cursor.row.client_id <= id) {
      if (cursor.row.client_id === id) changes.push(cursor.row);
      await cursor.advance();
    }
    const last = (column: string) => changes.findLast((row) => row[column] !== null)?.[column];
    findings.expect("change_has_event", `partner ${public_id} iban`, last("iban"), iban);
    for (
      const { number, url, removed_at } of registry.receiver?.filter((row) => row.partner_id === id) ?? []
    ) {
      const kid = number === 1 ? null : `${number}`;
      const change = changes.findLast((row) => row.webhook_url !== null && row.kid === kid);
      const name = `partner ${public_id} endpoint ${number}`;
      findings.expect("change_has_event", `${name} url`, change?.webhook_url, url);
      findings.expect("change_has_event", `${name} removed_at`, change?.valid_until, removed_at);
    }
    const stated = new Map<string, Row>();
    for (const change of changes) {
      if (change.kind !== null) stated.set(`${change.kind} ${change.credential}`, change);
    }
    const eventOf = ({ client_id, sequence }: Row) => types.get(`${client_id} ${sequence}`);
    const firstAt = changes[0] ? eventOf(changes[0])?.created_at ?? 0 : Infinity;
    for (const credential of owned.get(id) ?? []) {
      const name = `${credential.kind} ${credential.id}`;
      const change = stated.get(name);
      stated.delete(name);
      // A credential that ended before the migration to 0.4.0 has no event.
      if (!change && credential.until !== null && credential.until <= firstAt) continue;
      const isEnded = credential.kind !== "certificate" ? credential.until !== null : undefined;
      const type = change && eventOf(change)?.type;
      if (isEnded === true && type !== "credential.ended" && type !== undefined) {
        // Only the first event about a credential can contain an end that was set before the event.
        const isFirst = changes.find(({ kind, credential: id }) =>
          kind === credential.kind && id === credential.id
        ) === change;
        if (!isFirst) findings.add("credential_has_event", `${public_id} ${name}`, "credential.ended", type);
      }
      findings.expect(
        "credential_has_event",
        `${public_id} ${name}`,
        change && textOf(change.kid, change.valid_from, change.valid_until),
        textOf(credential.kid, credential.from, credential.until),
      );
    }
    for (const name of stated.keys()) {
      findings.add("credential_has_event", `${public_id} ${name}`, "a credential", "nothing");
    }
  }
  await cursor.close();
}

function textOf(kid: string | null, from: number | null, until: number | null): string {
  const spell = (at: number | null) => at === null || !Number.isFinite(at) ? "no date" : instantText(at);
  return `kid ${kid ?? "none"}, from ${spell(from)} until ${spell(until)}`;
}

function credentialsByPartner(registry: Registry): Map<number, Credential[]> {
  const owned = new Map<number, Credential[]>();
  const add = (table: Table, toCredential: (row: Row) => Omit<Credential, "kind" | "from">) => {
    for (const row of registry[table] ?? []) {
      const credential = { kind: table, from: row.not_before, ...toCredential(row) };
      owned.set(row.partner_id, [...owned.get(row.partner_id) ?? [], credential]);
    }
  };
  add("certificate", ({ fingerprint, revoked_at, not_after }) => ({
    id: fingerprint,
    kid: null,
    until: revoked_at ?? not_after,
  }));
  add("signing_key", ({ thumbprint, kid, retire_at }) => ({ id: thumbprint, kid, until: retire_at }));
  for (const table of ["client_secret", "webhook_secret"] as const) {
    add(table, ({ id, retire_at }) => ({ id: `${id}`, kid: null, until: retire_at }));
  }
  return owned;
}

/** The audit row of the change that answers a request, by the request's kind. */
const ANSWERS: Readonly<Record<string, string>> = {
  signing_key: "signing_key.add",
  certificate_request: "certificate.issue",
  ip_range: "partner.set",
  webhook_endpoint: "endpoint.add",
};
/**
 * The compared members of these audit rows: those that a partner can request, and those that an operator
 * could add.
 */
const REQUESTED = ["thumbprint", "kid", "key_hash", "url", "types"];
const TERMS = ["name", "webhook_url", "rate_per_second", "burst", "maximum_grams"];

/**
 * Compares each change that answers a request with the whole request. Skips requests without `wanted`: an
 * earlier commit stored them, and compared less.
 */
export function checkAnswers(
  findings: Findings,
  notes: readonly Note[],
  requests: readonly Row[],
  proposals: readonly Row[],
  publicIds: ReadonlyMap<number, string>,
): void {
  const taken = requests.filter(({ taken_at, wanted }) => taken_at !== null && wanted !== null);
  const byId = new Map(taken.map((row) => [row.id as string, row]));
  const byProposal = new Map(taken.map((row) => [row.proposal as string | null, row]));
  for (const { id, state, content } of proposals) {
    if (state !== "approved") continue;
    const request = byProposal.get(id)?.id;
    const named = request === undefined ? undefined : `chg_${request}`;
    findings.expect("request_is_answered", `proposal ${id} request`, named, objectOf(content).request);
  }
  /** The addresses of each partner, before and after the last audit row about them. */
  const ranges = new Map<string, readonly [before: readonly string[], after: readonly string[]]>();
  let previous: Note | undefined;
  for (const note of notes) {
    const { action, subject, detail } = note;
    if (/^partner[.](create|set)$/.test(action) && detail.ips) {
      ranges.set(subject, [ranges.get(subject)?.[1] ?? [], detail.ips]);
    }
    // With a single operator, one transaction wrote the row of the change, and this row directly after it.
    const isAlone = action === "change.take" && detail.taken_as === undefined;
    const row = isAlone ? byId.get(detail.change) : byProposal.get(detail.proposal);
    const made = isAlone ? previous : note;
    previous = note;
    if (!row || !made || action === "proposal.approve") continue;
    const name = `change ${row.id}`;
    try {
      const [before, after] = ranges.get(made.subject) ?? [[], []];
      const expected = answerText(
        ANSWERS[row.kind],
        publicIds.get(row.client_id),
        objectOf(row.wanted),
        before,
      );
      const found = answerText(made.action, made.subject, made.detail, made.detail.ips && after);
      findings.expect("request_is_answered", name, expected, found);
      if (row.certificate === null) continue;
      const { raw, publicKey } = new X509Certificate(row.certificate);
      const hashes = [sha256Hex(raw), sha256Hex(publicKey.export({ type: "spki", format: "der" }))];
      const { fingerprint, key_hash } = made.detail;
      findings.expect(
        "request_is_answered",
        `${name} certificate`,
        `${fingerprint} ${key_hash}`,
        hashes.join(" "),
      );
    } catch {
      const expected = "a readable request, change and certificate";
      findings.add("request_is_answered", name, expected, "an unreadable one");
    }
  }
}

/** Writes a change as text. Adds a requested range to `addresses`, as `gold change take` does. */
function answerText(
  action: string | undefined,
  partner: string | undefined,
  members: Readonly<Record<string, unknown>>,
  addresses: readonly string[] | undefined,
): string {
  const all = members.range
    ? [...addresses ?? [], members.range as string]
    : members.ips
    ? addresses ?? []
    : [];
  return JSON.stringify([
    ...[action, partner, ...[...REQUESTED, ...TERMS].map((name) => members[name] ?? null)],
    [...new Set(all.map(spellRange))].sort(),
  ]);
}
