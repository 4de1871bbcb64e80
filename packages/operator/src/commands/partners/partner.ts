import { isolate } from "@gold-partner/command-line";
import {
  formatGrams,
  formatHalalas,
  GOLD_DEFAULT_MAX_TENTH_MILLIGRAMS,
  parseIban,
} from "@gold-partner/protocol";
import type { Command, Invocation, Row } from "../../command.ts";
import { usage } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { parsedRequired, repeated, required, wholeNumber } from "../../values.ts";
import { newClientSecret, newSealedSecret } from "../credentials/new_secret.ts";
import { endpointRow } from "./endpoint.ts";
import { describeUse, LIMIT_OPTIONS, LIMIT_USAGE, printLimits, readLimits } from "./partner_limits.ts";
import { readMaximum, readName, readRange, readRate, readSigningKey, readWebhook } from "./partner_terms.ts";
import { changeOrPropose, hexOf, storedRanges } from "../changes/proposing.ts";
import { findPartner, openIbanWarning } from "./registered_partner.ts";

const ID_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const ID_CHARACTERS = 20;

const create: Command = {
  words: "partner create",
  usage:
    "partner create --name NAME --iban SA… --ip CIDR [--ip …] --webhook https://… --signing-key FILE [--signing-key …] [--rate N/s] [--burst N] [--max-grams G] " +
    LIMIT_USAGE,
  does: "creates a partner; its secrets are shown only once",
  options: {
    name: { type: "string" },
    iban: { type: "string" },
    ip: { type: "string", multiple: true },
    webhook: { type: "string" },
    "signing-key": { type: "string", multiple: true },
    rate: { type: "string" },
    burst: { type: "string" },
    "max-grams": { type: "string", default: formatGrams(GOLD_DEFAULT_MAX_TENTH_MILLIGRAMS) },
    ...LIMIT_OPTIONS,
  },
  run: createPartner,
};

export async function createPartner(invocation: Invocation) {
  const { values, db, path, random, keys } = invocation;
  const { sql, deployment } = await db();
  const settled = await deployment();
  const name = readName(values);
  const ips = repeated(values, "ip").map(readRange);
  if (ips.length === 0) {
    throw usage("--ip is missing. A partner needs at least one registered address to call the service.");
  }
  const signingKeys = await Promise.all(
    repeated(values, "signing-key").map((file) => readSigningKey(path(file))),
  );
  if (signingKeys.length === 0) {
    throw usage("--signing-key is missing. Give the file of the partner's public key, as PEM or JWK.");
  }
  const rate = values.rate === undefined
    ? settled.partnerDefaults.ratePerSecond
    : readRate(required(values, "rate"));
  const burst = values.burst === undefined
    ? settled.partnerDefaults.burst
    : wholeNumber(required(values, "burst"), "burst");
  const clientId = `${settled.environment === "sandbox" ? "sbx" : "live"}_${randomText(random)}`;
  const webhook = await readWebhook(required(values, "webhook"), settled);
  const clientSecret = await newClientSecret(invocation);
  const webhookSecret = await newSealedSecret(keys, random);
  const limits = { ...settled.partnerDefaults.limits, ...readLimits(values) };
  const iban = parsedRequired(values, "iban", parseIban);
  const maximum = parsedRequired(values, "max-grams", readMaximum);
  const secrets = { client_secret: clientSecret.text, webhook_secret: webhookSecret.text };
  const warn = await openIbanWarning(invocation, iban, clientId);
  const made = await changeOrPropose(invocation, {
    kind: "partner.create",
    content: {
      client_id: clientId,
      name,
      iban,
      webhook_url: webhook.url,
      rate_per_second: rate,
      burst,
      maximum_grams: `${maximum}`,
      ips: await storedRanges(sql, ips),
      secret_hash: hexOf(clientSecret.hash),
      webhook_sealed: hexOf(webhookSecret.sealed),
      sealing_key: webhookSecret.keyName,
      keys: signingKeys,
      limits,
    },
    secrets,
  }, {
    title: "The secrets are shown only once. Send them to the partner over a secure channel.",
    object: { client_id: clientId, name, ...secrets },
  });
  warn(made);
  return { ...made, object: { ...made.object, client_id: clientId }, notice: webhook.notice };
}

const list: Command = {
  words: "partner list",
  usage: "partner list",
  does: "lists every partner, its status, and whether its webhook receiver works",
  async run({ query }) {
    const rows = await query`
      select p.public_id, p.name, p.suspended_at, p.created_at, n.* from gold.partner_overview p, lateral (
        select max(disabled_at) as disabled_at, coalesce(max(failures), 0) as failures,
          coalesce(sum(waiting), 0) as waiting
        from gold.endpoint_overview n where n.public_id = p.public_id
      ) n order by p.id`;
    return {
      items: rows.map((row) => ({
        client_id: row.public_id,
        name: row.name,
        ...stateOf(row.suspended_at),
        webhook: row.disabled_at ? "disabled" : row.failures > 0 ? "failing" : "ok",
        events_waiting: Number(row.waiting),
        created_at: row.created_at.toISOString(),
      })),
    };
  },
};

const show: Command = {
  words: "partner show",
  usage: "partner show ID",
  does: "shows one partner: its addresses, limits and balances, and the state of its webhook",
  takes: ["ID"],
  async run({ query, positionals: [id] }) {
    const row = await findPartner(query, id!);
    const endpoints =
      await query`select * from gold.endpoint_overview where public_id = ${id!} order by number`;
    const first = endpoints.find(({ number }) => number === 1);
    const sum = (name: string) => endpoints.reduce((total, row) => total + Number(row[name]), 0);
    const object: Row = {
      client_id: row.public_id,
      name: row.name,
      ...stateOf(row.suspended_at),
      iban: row.iban,
      payouts_held_until: instantOf(row.payouts_held_until),
      pending_iban: row.pending_iban,
      pending_iban_by: row.pending_iban_by,
      pending_iban_at: instantOf(row.pending_iban_at),
      ips: row.ips ?? [],
      webhook_url: row.webhook_url,
      webhook_disabled_at: instantOf(first?.disabled_at),
      webhook_failures: first?.failures ?? 0,
      webhook_rests_until: instantOf(first?.rests_until),
      events_waiting: sum("waiting"),
      events_parked: sum("parked"),
      rate_per_second: row.rate_per_second,
      burst: row.burst,
      maximum_grams: formatGrams(BigInt(row.maximum_grams)),
      ...printLimits({
        open_quotes: row.maximum_open_quotes,
        open_grams: row.maximum_open_grams,
        daily_records: row.maximum_daily_records,
        net_grams: row.maximum_net_grams,
        daily_withdrawals: row.maximum_daily_withdrawals,
        daily_withdrawn: row.maximum_daily_withdrawn,
      }),
      sar_available: formatHalalas(BigInt(row.sar_available)),
      sar_held: formatHalalas(BigInt(row.sar_held)),
      gold_grams: formatGrams(BigInt(row.gold)),
      created_at: row.created_at.toISOString(),
    };
    const [use] = await query`select gold.limit_use(${id!}) as used`;
    return {
      object,
      lists: {
        limits: describeUse(object, use!.used),
        ...(endpoints.length > 1 ? { endpoints: endpoints.map(endpointRow) } : {}),
      },
    };
  },
};

const suspend: Command = {
  words: "partner suspend",
  usage: "partner suspend ID",
  does: "suspends a partner: the service refuses its writes at once and its reads within a second",
  takes: ["ID"],
  async run({ query, confirm, positionals: [id] }) {
    const { name, suspended_at } = await findPartner(query, id!);
    const wayBack = `To end the suspension, run \`gold partner resume ${id}\`.`;
    // The database refuses to suspend a suspended partner.
    if (!suspended_at) await confirm(`Suspend ${isolate(name)} (${id}) now? ${wayBack}`);
    await query`select gold.suspend_partner(${id!})`;
    return { title: wayBack, object: { client_id: id!, name, status: "suspended" } };
  },
};

const resume: Command = {
  words: "partner resume",
  usage: "partner resume ID",
  does: "ends a partner's suspension",
  takes: ["ID"],
  async run(invocation) {
    const { positionals: [id] } = invocation;
    return await changeOrPropose(invocation, { kind: "partner.resume", content: { client_id: id! } }, {
      object: { client_id: id!, status: "active" },
    });
  },
};

export const PARTNER_COMMANDS: readonly Command[] = [create, list, show, suspend, resume];

const stateOf = (suspendedAt: Date | null) => ({ status: suspendedAt ? "suspended" : "active" });

function randomText(random: (length: number) => Uint8Array): string {
  // Skip bytes of 252 or more. Otherwise the first four characters would be more frequent, because 256 is not
  // a multiple of 36.
  let text = "";
  while (text.length < ID_CHARACTERS) {
    for (const byte of random(ID_CHARACTERS)) {
      if (byte < 252 && text.length < ID_CHARACTERS) text += ID_ALPHABET[byte % ID_ALPHABET.length];
    }
  }
  return text;
}
