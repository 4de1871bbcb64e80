// The audit trail's actions on partners, their credentials, authorities, token keys and sealing keys.
import { type Action, big, limitColumns, LIMITS, ms, nothing, WITHDRAWAL_LIMITS } from "./action.ts";
import { type Columns, type ExpectedTables, Near } from "./expected.ts";
import type { Note } from "./notes.ts";

/**
 * Adds a credential of a partner. The key is a position, because the audit trail lacks the first credential's
 * id.
 */
function addOwned(tables: ExpectedTables, table: string, partner: string, columns: Columns): void {
  const position = tables.ownedBy(table, partner).length;
  tables.set(table, `${partner} #${position}`, { partner, retire_at: null, ...columns });
}

/** Ends a partner's older credentials at this instant, as a rotation does. An earlier end stays. */
function retireOlder(rows: Iterable<Columns>, retireAt: number): void {
  for (const row of rows) {
    const end = row.retire_at instanceof Near ? row.retire_at.ms : row.retire_at as number | null;
    if (end === null || end > retireAt) row.retire_at = retireAt;
  }
}

/** Audit rows of releases before 0.4.0 have no hashes of secrets. */
const storedSecret = ({ secret_sha256 }: Note["detail"]): Columns => ({ hash_sha256: secret_sha256 });
const storedSealed = ({ sealed_sha256, sealing_key }: Note["detail"]): Columns => ({
  sealed_sha256,
  sealing_key,
});

/** An audit row that names no endpoint is about the first one. */
const endpointOf = ({ endpoint = 1 }: Note["detail"]): Columns => ({ endpoint });
const ofEndpoint = (tables: ExpectedTables, partner: string, detail: Note["detail"]) =>
  tables.ownedBy("webhook_secret", partner).filter(({ endpoint }) =>
    endpoint === endpointOf(detail).endpoint
  );

const rotate = (
  table: string,
  stored: (detail: Note["detail"]) => Columns,
  olderOf: (tables: ExpectedTables, partner: string, detail: Note["detail"]) => readonly Columns[],
): Action =>
(
  tables,
  { at, subject, detail },
) => {
  retireOlder(olderOf(tables, subject, detail), ms(detail.older_retire_at)!);
  addOwned(tables, table, subject, {
    id: detail.secret_id,
    not_before: new Near(at),
    ...stored(detail),
  });
};

const retire = (table: string): Action => (tables, { at, subject, detail }) => {
  const rows = tables.ownedBy(table, subject);
  // The audit trail lacks the first secret's id. If no row has this id, the secret is the row without an id.
  const row = rows.find(({ id }) => id === detail.secret_id) ?? rows.find(({ id }) => id === undefined);
  if (row) Object.assign(row, { id: detail.secret_id, retire_at: new Near(at) });
};

const typesText = (types: unknown) =>
  Array.isArray(types) && types.length > 0 ? `{${[...new Set(types)].sort().join()}}` : null;

/** Sets the URL of the first endpoint. */
function setFirstUrl(tables: ExpectedTables, partner: string, url: string): void {
  const isNew = !tables.of("receiver").has(`${partner} 1`);
  const fresh = isNew
    ? { is_first: true, types: null, added_after: 0n, typed_after: 0n, removed_at: null }
    : {};
  tables.set("receiver", `${partner} 1`, { ...fresh, url });
}

function setAddresses(tables: ExpectedTables, partner: string, ips: readonly string[]): void {
  for (const key of tables.of("allowed_ip").keys()) {
    if (key.startsWith(`${partner} `)) tables.remove("allowed_ip", key);
  }
  for (const range of ips) tables.set("allowed_ip", `${partner} ${range}`, {});
}
/** Both ways to change an IBAN end a pending request. */
const registerIban: Action = (tables, { at, subject, detail }) =>
  tables.set("partner", subject, {
    iban: detail.iban,
    iban_changed_at: new Near(at),
    pending_iban: null,
    pending_iban_by: null,
    pending_iban_at: null,
  });
const addAuthority: Action = (tables, { at, subject, detail }) =>
  tables.set("authority", subject, {
    key_source: null,
    created_at: new Near(at),
    retired_at: null,
    revocation_number: 1n,
    // Audit rows of 0.5.0 and earlier do not state it.
    revocation_next_at: ms(detail.revocation_next_at),
    revocation_list_sha256: detail.list_sha256,
  });

export const CREDENTIAL_ACTIONS = {
  "partner.create": (tables, { at, subject, detail }) => {
    tables.set("partner", subject, {
      name: detail.name,
      iban: detail.iban,
      iban_changed_at: null,
      pending_iban: null,
      pending_iban_by: null,
      pending_iban_at: null,
      rate_per_second: detail.rate_per_second,
      burst: detail.burst,
      maximum_grams: big(detail.maximum_grams),
      created_at: new Near(at),
      suspended_at: null,
      maximum_daily_withdrawals: null,
      maximum_daily_withdrawn: null,
    });
    if (detail.webhook_url !== null) setFirstUrl(tables, subject, detail.webhook_url);
    setAddresses(tables, subject, detail.ips);
    addOwned(tables, "client_secret", subject, { not_before: new Near(at), ...storedSecret(detail) });
    addOwned(tables, "webhook_secret", subject, {
      not_before: new Near(at),
      ...storedSealed(detail),
      ...endpointOf({}),
    });
    for (const thumbprint of detail.signing_keys ?? []) {
      tables.set("signing_key", `${subject} ${thumbprint}`, {
        partner: subject,
        not_before: new Near(at),
        retire_at: null,
        ...(detail.kids ? { kid: detail.kids[thumbprint] ?? null } : {}),
      });
    }
  },
  "partner.set": (tables, { subject, detail: { ips, webhook_url, ...changed } }) => {
    if (webhook_url !== undefined) setFirstUrl(tables, subject, webhook_url);
    const columns = {
      ...changed,
      ...(changed.maximum_grams === undefined ? {} : { maximum_grams: big(changed.maximum_grams) }),
    };
    tables.set("partner", subject, columns);
    if (ips) setAddresses(tables, subject, ips);
  },
  "partner.limit": (tables, { subject, detail }) => {
    const none = Object.fromEntries(Object.values(LIMITS).map((column) => [column, null]));
    const columns: Columns = {
      ...none,
      ...tables.of("allowance").get(subject),
      ...limitColumns(detail, LIMITS),
    };
    tables.set("partner", subject, limitColumns(detail, WITHDRAWAL_LIMITS));
    tables.set("allowance", subject, columns);
    if (Object.values(columns).every((value) => value === null)) tables.remove("allowance", subject);
  },
  "partner.ask_iban": (tables, { at, login, subject, detail }) =>
    tables.set("partner", subject, {
      pending_iban: detail.iban,
      pending_iban_by: login,
      pending_iban_at: new Near(at),
    }),
  "partner.withdraw_iban": (tables, { subject }) =>
    tables.set("partner", subject, { pending_iban: null, pending_iban_by: null, pending_iban_at: null }),
  "partner.approve_iban": registerIban,
  "partner.iban": registerIban,
  "partner.suspend": (tables, { at, subject }) =>
    tables.set("partner", subject, { suspended_at: new Near(at) }),
  "partner.resume": (tables, { subject }) => tables.set("partner", subject, { suspended_at: null }),
  "endpoint.add": (tables, { at, subject, detail }) => {
    tables.set("receiver", `${subject} ${detail.endpoint}`, {
      is_first: false,
      url: detail.url,
      types: typesText(detail.types),
      added_after: big(detail.after),
      typed_after: big(detail.after),
      removed_at: null,
    });
    addOwned(tables, "webhook_secret", subject, {
      id: detail.secret_id,
      not_before: new Near(at),
      ...storedSealed(detail),
      ...endpointOf(detail),
    });
  },
  "endpoint.set": (tables, { subject, detail: { endpoint, url, types, after } }) =>
    tables.set("receiver", `${subject} ${endpoint}`, {
      ...(url === undefined ? {} : { url }),
      ...(after === undefined ? {} : { types: typesText(types), typed_after: big(after) }),
    }),
  "endpoint.remove": (tables, { subject, detail }) => {
    const removedAt = ms(detail.removed_at)!;
    tables.set("receiver", `${subject} ${detail.endpoint}`, { removed_at: removedAt });
    retireOlder(ofEndpoint(tables, subject, detail), removedAt);
  },
  "client_secret.rotate": rotate(
    "client_secret",
    storedSecret,
    (tables, partner) => tables.ownedBy("client_secret", partner),
  ),
  "client_secret.simulate": (tables, { at, subject, detail }) =>
    addOwned(tables, "client_secret", subject, {
      id: detail.secret_id,
      not_before: new Near(at),
      ...storedSecret(detail),
      retire_at: ms(detail.retire_at),
    }),
  "client_secret.retire": retire("client_secret"),
  "webhook_secret.rotate": rotate(
    "webhook_secret",
    (detail) => ({ ...storedSealed(detail), ...endpointOf(detail) }),
    ofEndpoint,
  ),
  "webhook_secret.retire": retire("webhook_secret"),
  "signing_key.add": (tables, { at, subject, detail }) =>
    tables.set("signing_key", `${subject} ${detail.thumbprint}`, {
      partner: subject,
      kid: detail.kid ?? null,
      not_before: new Near(at),
      retire_at: null,
    }),
  "signing_key.retire": (tables, { at, subject, detail }) =>
    tables.set("signing_key", `${subject} ${detail.thumbprint}`, { retire_at: new Near(at) }),
  "certificate.issue": (tables, { at, subject, detail }) =>
    tables.set("certificate", detail.fingerprint, {
      partner: subject,
      not_after: ms(detail.not_after),
      ...(detail.serial === undefined ? {} : {
        serial: detail.serial,
        not_before: ms(detail.not_before),
        authority: detail.authority,
        key_hash: detail.key_hash,
      }),
      created_at: new Near(at),
      revoked_at: null,
      revocation_reason: null,
    }),
  "certificate.revoke": (tables, { at, detail }) =>
    tables.set("certificate", detail.fingerprint, {
      revoked_at: new Near(at),
      revocation_reason: detail.reason ?? null,
    }),
  "change.take": (tables, { login, detail }) =>
    tables.set("change_request", detail.change, {
      taken_by: login,
      taken_at: ms(detail.taken_at),
      proposal: detail.taken_as ?? null,
      certificate_sha256: detail.certificate_sha256 ?? null,
      // Null in a row of an earlier commit, which did not compare the change with the request.
      wanted_sha256: detail.wanted_sha256 ?? null,
      declined_by: null,
      declined_at: null,
      reason: null,
    }),
  "change.decline": (tables, { login, detail }) =>
    tables.set("change_request", detail.change, {
      // If the audit trail has no change.take for the request, nobody may have taken it up.
      taken_by: null,
      taken_at: null,
      proposal: null,
      certificate_sha256: null,
      ...tables.of("change_request").get(detail.change),
      declined_by: login,
      declined_at: ms(detail.declined_at),
      reason: detail.reason,
    }),
  "ca.init": addAuthority,
  "ca.rotate": addAuthority,
  "ca.move_key": nothing,
  "ca.retire": (tables, { at, subject, detail }) => {
    tables.set("authority", subject, { retired_at: new Near(at) });
    for (const fingerprint of detail.revoked) {
      tables.set("certificate", fingerprint, {
        revoked_at: new Near(at),
        revocation_reason: "cessation_of_operation",
      });
    }
  },
  "ca.revocation_list": (tables, { subject, detail }) =>
    tables.set("authority", subject, {
      revocation_number: big(detail.number),
      revocation_next_at: ms(detail.next_at),
      revocation_list_sha256: detail.list_sha256,
    }),
  "token_key.add": (tables, { subject, detail }) =>
    tables.set("token_key", subject, {
      not_before: ms(detail.not_before),
      retire_at: null,
      ...storedSealed(detail),
    }),
  "token_key.rotate": (tables, { subject, detail }) => {
    retireOlder(tables.of("token_key").values(), ms(detail.older_retire_at)!);
    tables.set("token_key", subject, {
      not_before: ms(detail.begins_at),
      retire_at: null,
      ...storedSealed(detail),
    });
  },
  "sealing_key.rotate": (tables, { subject, detail }) => {
    for (const name of detail.resealed as string[]) {
      const [table, id] = name.split(" ") as [string, string];
      const columns = { sealing_key: subject, sealed_sha256: detail.sealed_sha256?.[name] };
      tables.set(table === "token_key" ? table : "resealed", id, columns);
    }
  },
} satisfies Readonly<Record<string, Action>>;
