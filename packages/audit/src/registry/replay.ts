// Replays the audit trail, which gives the rows that must exist. To audit a new action, add its line to
// ACTIONS; to audit a new column, add the column to the lines of the actions that set it.
import type { Findings } from "../findings.ts";
import { type Columns, ExpectedTables, Near } from "./expected.ts";
import type { Note } from "./notes.ts";

type Action = (tables: ExpectedTables, note: Note) => void;

/** The audit trail has microseconds. The tables' columns round them to milliseconds. */
function ms(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const beyond = /\.\d{3}(\d{1,3})/.exec(text)?.[1] ?? "0";
  return Date.parse(text) + (beyond.padEnd(3, "0") >= "500" ? 1 : 0);
}
const big = (value: unknown) =>
  value === null || value === undefined ? value : BigInt(value as string | number);

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

const rotate = (table: string, stored: (detail: Note["detail"]) => Columns): Action =>
(
  tables,
  { at, subject, detail },
) => {
  retireOlder(tables.ownedBy(table, subject), ms(detail.older_retire_at)!);
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

function setAddresses(tables: ExpectedTables, partner: string, ips: readonly string[]): void {
  for (const key of tables.of("allowed_ip").keys()) {
    if (key.startsWith(`${partner} `)) tables.remove("allowed_ip", key);
  }
  for (const range of ips) tables.set("allowed_ip", `${partner} ${range}`, {});
}

const LIMITS: Readonly<Record<string, string>> = {
  open_quotes: "maximum_open_quotes",
  open_grams: "maximum_open_grams",
  daily_records: "maximum_daily_records",
  net_grams: "maximum_net_grams",
};
const WITHDRAWAL_LIMITS: Readonly<Record<string, string>> = {
  daily_withdrawals: "maximum_daily_withdrawals",
  daily_withdrawn: "maximum_daily_withdrawn",
};
/** The limits that the database stores as bigint. */
const BIG_LIMITS = new Set(["open_grams", "net_grams", "daily_withdrawn"]);
/** The columns of the given limits. */
const limitColumns = (detail: Note["detail"], names: Readonly<Record<string, string>>): Columns =>
  Object.fromEntries(
    Object.entries(names).filter(([name]) => name in detail).map(([name, column]) => [
      column,
      BIG_LIMITS.has(name) ? big(detail[name]) : detail[name],
    ]),
  );
const DEFAULT_LIMITS: Readonly<Record<string, string>> = {
  open_quotes: "partner_open_quotes",
  open_grams: "partner_open_grams",
  daily_records: "partner_daily_records",
  net_grams: "partner_net_grams",
  daily_withdrawals: "partner_daily_withdrawals",
  daily_withdrawn: "partner_daily_withdrawn",
};

/** Rows of 0.4.0 and before name places of keys. The database no longer stores any. */
const NO_KEY_SOURCES: Columns = { sealing_key_source: null, pepper_source: null };

const deployment = (columns: (note: Note) => Columns): Action => (tables, note) =>
  tables.set("deployment", "deployment", columns(note));

const addAuthority: Action = (tables, { at, subject, detail }) =>
  tables.set("authority", subject, {
    key_source: null,
    created_at: new Near(at),
    retired_at: null,
    revocation_number: 1n,
    revocation_list_sha256: detail.list_sha256,
  });

const nothing: Action = () => {};

const ACTIONS: Readonly<Record<string, Action>> = {
  "partner.create": (tables, { at, subject, detail }) => {
    tables.set("partner", subject, {
      name: detail.name,
      iban: detail.iban,
      iban_changed_at: null,
      pending_iban: null,
      pending_iban_by: null,
      pending_iban_at: null,
      webhook_url: detail.webhook_url,
      rate_per_second: detail.rate_per_second,
      burst: detail.burst,
      maximum_grams: big(detail.maximum_grams),
      created_at: new Near(at),
      suspended_at: null,
      maximum_daily_withdrawals: null,
      maximum_daily_withdrawn: null,
    });
    setAddresses(tables, subject, detail.ips);
    addOwned(tables, "client_secret", subject, { not_before: new Near(at), ...storedSecret(detail) });
    addOwned(tables, "webhook_secret", subject, { not_before: new Near(at), ...storedSealed(detail) });
    for (const thumbprint of detail.signing_keys ?? []) {
      tables.set("signing_key", `${subject} ${thumbprint}`, {
        partner: subject,
        not_before: new Near(at),
        retire_at: null,
        ...(detail.kids ? { kid: detail.kids[thumbprint] ?? null } : {}),
      });
    }
  },
  "partner.set": (tables, { subject, detail: { ips, ...changed } }) => {
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
  "partner.approve_iban": (tables, { at, subject, detail }) =>
    tables.set("partner", subject, {
      iban: detail.iban,
      iban_changed_at: new Near(at),
      pending_iban: null,
      pending_iban_by: null,
      pending_iban_at: null,
    }),
  "partner.suspend": (tables, { at, subject }) =>
    tables.set("partner", subject, { suspended_at: new Near(at) }),
  "partner.resume": (tables, { subject }) => tables.set("partner", subject, { suspended_at: null }),
  "client_secret.rotate": rotate("client_secret", storedSecret),
  "client_secret.retire": retire("client_secret"),
  "webhook_secret.rotate": rotate("webhook_secret", storedSealed),
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
  "vault.add": (tables, { at, subject, detail }) =>
    tables.set("bar", subject, {
      gross: big(detail.gross),
      fineness: detail.fineness,
      fine: big(detail.fine),
      added_at: new Near(at),
      removed_at: null,
      removed_sequence: null,
      // Audit rows of old releases lack these two.
      ...(detail.refiner === undefined ? {} : { refiner: detail.refiner }),
      ...(detail.vault === undefined ? {} : { vault_name: detail.vault }),
    }),
  "vault.remove": (tables, { at, subject }) => {
    tables.set("bar", subject, { removed_at: new Near(at) });
    delete tables.of("bar").get(subject)!.removed_sequence;
  },
  "price.set": (tables, { at, subject, detail }) => {
    const { mid, buy, sell, spread_basis_points, stale_after_seconds, url = null } = detail;
    tables.remove("price", "price");
    tables.set("price", "price", { source: subject, spread_basis_points, stale_after_seconds, url });
    // The prices of other sources change with each tick.
    if (subject === "fixed") {
      tables.set("price", "price", { mid: big(mid), buy: big(buy), sell: big(sell), as_of: new Near(at) });
    }
  },
  "market.set": (tables, { subject, detail }) => {
    tables.of("market_session").clear();
    for (const { day, opens, closes } of detail.sessions) {
      tables.set("market_session", `${day} ${timeText(opens)}`, { closes: timeText(closes) });
    }
    tables.set("market", "market", { always_open: subject === "always open" });
  },
  "market.breaker": (tables, { detail }) =>
    tables.set("market", "market", {
      halt_basis_points: detail.basis_points,
      halt_seconds: detail.seconds,
    }),
  "market.halt": (tables, { at }) => tables.set("market", "market", { halted_at: new Near(at) }),
  "market.open": (tables) => tables.set("market", "market", { halted_at: null }),
  "market.exposure": (tables, { detail }) =>
    tables.set("exposure", "exposure", { maximum: big(detail.grams) }),
  "deployment.settle": deployment(({ subject, detail: { after } }) => ({
    ...after,
    ...(after ? { webhook_ports: `{${after.webhook_ports.join()}}` } : {}),
    public_base_url: subject,
    ...NO_KEY_SOURCES,
  })),
  "deployment.payout": deployment(({ subject, detail }) => ({
    payout_name: detail.name,
    payout_iban: subject,
    payout_bic: detail.bic,
  })),
  "deployment.finish": deployment(({ detail }) => ({ requests_kept_since: ms(detail.requests_kept_since) })),
  "deployment.partner_defaults": deployment(({ detail }) => ({
    partner_rate_per_second: detail.rate_per_second,
    partner_burst: detail.burst,
  })),
  "deployment.limit_defaults": deployment(({ detail }) => limitColumns(detail, DEFAULT_LIMITS)),
  "deposit.record": (tables, { at, login, subject, detail }) =>
    tables.set("deposit", idOf(detail.deposit), {
      partner: subject,
      amount: big(detail.amount),
      bank_reference: detail.bank_reference,
      recorded_at: new Near(at),
      recorded_by: login,
      approved_at: null,
      approved_by: null,
      reversed_at: null,
      reversed_by: null,
      reversed_sequence: null,
    }),
  "deposit.approve": (tables, { login, detail }) => {
    tables.set("deposit", idOf(detail.deposit), { approved_by: login });
    delete tables.of("deposit").get(idOf(detail.deposit))!.approved_at;
  },
  "deposit.reverse": (tables, { login, detail }) => {
    const row = tables.of("deposit").get(idOf(detail.deposit)) ?? {};
    row.reversed_by = login;
    delete row.reversed_at;
    // The reversal of an approved deposit has an event, and the deposit has its sequence number. The audit
    // trail lacks this number, so it is not compared.
    if (row.approved_by !== null) delete row.reversed_sequence;
  },
  "withdrawal.batch": (tables, { at, login, subject, detail }) =>
    tables.set("payment_batch", subject, {
      login,
      created_at: new Near(at),
      document_sha256: detail.document_sha256,
      withdrawals: detail.withdrawals,
    }),
  "withdrawal.approved": nothing,
  "withdrawal.rejected": nothing,
  "withdrawal.submitted": nothing,
  "withdrawal.paid": nothing,
  "withdrawal.returned": nothing,
  "event.redeliver": nothing,
  "event.replay": nothing,
  "deployment.two_people": deployment(() => ({ two_people: true })),
  "proposal.propose": nothing,
  "proposal.approve": nothing,
  "proposal.reject": nothing,
  "proposal.take_secrets": nothing,
  "operator.add": (tables, { subject }) => tables.set("operator", subject, {}),
  "operator.remove": (tables, { subject }) => tables.remove("operator", subject),
};

const idOf = (name: string) => name.slice(name.indexOf("_") + 1);
/** `time` columns are read with seconds. */
const timeText = (text: string) => text.length === 5 ? `${text}:00` : text;

/** What a new deployment has before an operator changes it. */
const DEPLOYMENT_DEFAULTS: Columns = {
  payout_name: null,
  payout_iban: null,
  payout_bic: null,
  partner_rate_per_second: 50,
  partner_burst: 200,
  partner_open_quotes: 100,
  partner_open_grams: 50_000_000n,
  partner_daily_records: 100_000,
  partner_net_grams: null,
  partner_daily_withdrawals: null,
  partner_daily_withdrawn: null,
  requests_kept_since: null,
  two_people: false,
};

export function replay(notes: readonly Note[], findings: Findings): ExpectedTables {
  const tables = new ExpectedTables();
  if (notes.some(({ action }) => action === "deployment.settle")) {
    tables.set("deployment", "deployment", DEPLOYMENT_DEFAULTS);
  }
  tables.set("market", "market", {
    always_open: true,
    halt_basis_points: null,
    halt_seconds: null,
    halted_at: null,
  });
  for (const note of notes) {
    const action = Object.hasOwn(ACTIONS, note.action) ? ACTIONS[note.action] : undefined;
    if (!action) {
      findings.add("note_is_known", `audit ${note.id}`, "an action of this release", note.action);
      continue;
    }
    try {
      const { mode: _mode, proposal: _proposal, ...detail } = note.detail;
      action(tables, { ...note, detail });
    } catch (error) {
      findings.add(
        "note_is_known",
        `audit ${note.id}`,
        `a complete ${note.action}`,
        (error as Error).message,
      );
    }
  }
  return tables;
}
