// The audit trail's actions on the market, the vault, the deployment, money and operators.
import { type Action, big, limitColumns, ms, nothing } from "./action.ts";
import { type Columns, Near } from "./expected.ts";
import type { Note } from "./notes.ts";

const DEFAULT_LIMITS: Readonly<Record<string, string>> = {
  open_quotes: "partner_open_quotes",
  open_grams: "partner_open_grams",
  daily_records: "partner_daily_records",
  net_grams: "partner_net_grams",
  daily_withdrawals: "partner_daily_withdrawals",
  daily_withdrawn: "partner_daily_withdrawn",
};

/** Audit rows of 0.4.0 and earlier contain the places of keys. The database no longer stores them. */
const NO_KEY_SOURCES: Columns = { sealing_key_source: null, pepper_source: null };

const deployment = (columns: (note: Note) => Columns): Action => (tables, note) =>
  tables.set("deployment", "deployment", columns(note));

const admitKey: Action = (tables, { at, subject, detail }, proposal = "root") =>
  tables.set("operator_key", detail.fingerprint, {
    login: subject,
    public_key: detail.public_key,
    admitted_by: proposal,
    added_at: new Near(at),
    ended_at: null,
  });

export const DEPLOYMENT_ACTIONS = {
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
  "market.band": (tables, { detail }) =>
    tables.set("market", "market", {
      band_basis_points: detail.step_basis_points,
      band_hour_basis_points: detail.hour_basis_points,
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
  "pepper.keep": deployment(({ subject }) => ({ pepper_name: subject })),
  "pepper.rotate": deployment(({ subject }) => ({ pepper_name: subject })),
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
  "deployment.stripes": nothing,
  "deployment.identify": deployment(({ subject }) => ({ id: subject })),
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
      // Audit rows of 0.4.0 lack the time at which the document was prepared.
      created_at: ms(detail.prepared_at) ?? new Near(at),
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
  "recovery.accept": nothing,
  "day.sign": nothing,
  "registry.adopt": nothing,
  "approval.adopt": nothing,
  "deployment.two_people": deployment(() => ({ two_people: true })),
  "proposal.propose": nothing,
  "proposal.approve": nothing,
  "proposal.reject": nothing,
  "proposal.sign": nothing,
  "proposal.take_secrets": nothing,
  "operator_key.root": admitKey,
  "operator_key.add": admitKey,
  "operator_key.end": (tables, { at, detail }) =>
    tables.set("operator_key", detail.fingerprint, { ended_at: new Near(at) }),
  "operator.add": (tables, { subject, detail }) => tables.set("operator", subject, { roles: detail.roles }),
  "operator.set": (tables, { subject, detail }) => tables.set("operator", subject, { roles: detail.roles }),
  "operator.remove": (tables, { subject }) => tables.remove("operator", subject),
} satisfies Readonly<Record<string, Action>>;

const idOf = (name: string) => name.slice(name.indexOf("_") + 1);
/** `time` columns are read with seconds. */
const timeText = (text: string) => text.length === 5 ? `${text}:00` : text;
