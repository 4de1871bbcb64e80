import { randomUUID } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { formatHalalas } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import type { Command, Invocation, Result } from "../../command.ts";
import { connect } from "../../database.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { optional, repeated, required, wholeNumber } from "../../values.ts";
import { ensureLoadPartner, type LoadSite, type LoadTerms, NeedsTwoPeople } from "./load_partner.ts";
import { readRange } from "./partner_terms.ts";
import { changeAlone, needsApproval } from "../changes/proposing.ts";

const PARTNERS_MAX = 1000;
const LOOPBACK = ["127.0.0.1/32", "::1/128"];
/** The webhook URL of the partners. A load test also works if no receiver listens there. */
const WEBHOOK = "https://localhost:8445/webhooks";
/** The initial funds of a partner: more than any run spends, and far below the limit of an account. */
const FUNDS_HALALAS = 100_000_000_000n;
/** The unsold gold that the vault must hold for each load partner, in 0.0001 g. */
const GOLD_TENTH_MILLIGRAMS = 10_000_000n;
const BAR = { refiner: "none", vault: "load test", gross: "124414000", fineness: 9999 };
const BURST = 1_000_000;
const LIMITED = { name: "limited", ratePerSecond: 5, burst: 5, limited: true };

const prepare: Command = {
  words: "loadtest prepare",
  usage: "loadtest prepare --partners N [--out DIR] [--ip CIDR …] [--webhook https://…] [--ca FILE]",
  does:
    "creates and funds N partners for load tests in a sandbox with the highest possible rate, and one with a low rate; keeps those that are still usable",
  options: {
    partners: { type: "string" },
    out: { type: "string" },
    ip: { type: "string", multiple: true },
    webhook: { type: "string", default: WEBHOOK },
    ca: { type: "string" },
  },
  run: prepareLoad,
};

export const LOADTEST_COMMANDS: readonly Command[] = [prepare];

async function prepareLoad(invocation: Invocation): Promise<Result> {
  const { values, db, path, stateDir } = invocation;
  const count = wholeNumber(required(values, "partners"), "partners");
  if (count > PARTNERS_MAX) throw usage(`--partners must be at most ${PARTNERS_MAX}; got ${count}.`);
  const { sql, deployment } = await db();
  const { environment, publicBaseUrl, floodPerSecond, twoPeople } = await deployment();
  if (environment === "production") {
    throw new Failure(
      EXIT.refused,
      "production",
      "This is a production database. `gold loadtest prepare` creates test partners and money, so it runs only in a sandbox.",
    );
  }
  const second = connect(await invocation.secondDatabaseUrl());
  try {
    const ips = repeated(values, "ip").map(readRange);
    const out = optional(values, "out");
    const site: LoadSite = {
      folder: out === undefined ? resolve(stateDir, "loadtest") : path(out),
      baseUrl: publicBaseUrl,
      ca: await findServerCa(invocation),
      ips: ips.length > 0 ? ips : LOOPBACK,
      webhook: required(values, "webhook"),
      twoPeople,
    };
    await mkdir(site.folder, { recursive: true, mode: 0o700 });
    await stockVault(sql, BigInt(count) * GOLD_TENTH_MILLIGRAMS);
    const numbered = Array.from({ length: count }, (_, n): LoadTerms => ({
      name: `${n}`,
      ratePerSecond: Math.floor(floodPerSecond / 4),
      burst: BURST,
      limited: false,
    }));
    const items = [];
    for (const terms of [...numbered, LIMITED]) {
      const { clientId, file, isNew } = await ensureLoadPartner(invocation, site, terms);
      items.push({
        file,
        client_id: clientId,
        status: isNew ? "new" : "kept",
        sar_available: formatHalalas(await fund(sql, second, clientId)),
        limited: terms.limited,
        rate_per_second: terms.ratePerSecond,
        burst: terms.burst,
      });
    }
    return {
      title:
        "The partners are funded. Only partner-limited.json has a low rate limit. The files hold private keys: " +
        `share them with nobody. For k6, pass -e PARTNERS_DIR=${site.folder}, and -e PARTNER=n to choose one.`,
      items,
    };
  } catch (error) {
    throw needsApproval(error) ? new NeedsTwoPeople() : error;
  } finally {
    await second.end({ timeout: 2 });
  }
}

/**
 * Returns the file of the server's CA. Does not use the CA of an `npm start` if DATABASE_URL is set, because
 * that CA belongs to another deployment.
 */
async function findServerCa({ values, path, env, stateDir }: Invocation): Promise<string> {
  const given = optional(values, "ca");
  if (given === undefined && env.DATABASE_URL) {
    throw usage("--ca is missing. Give the PEM file of the CA that signed the server's certificate.");
  }
  const file = given === undefined ? resolve(stateDir, "pki", "ca.pem") : path(given);
  await readFile(file);
  return file;
}

async function stockVault(sql: Sql, wanted: bigint): Promise<void> {
  const readFree = async () => {
    const [row] = await sql`
      select ((select coalesce(sum(fine), 0) from gold.bar_overview where removed_at is null)
        - (select coalesce(sum(gold), 0) from gold.partner_overview))::text as free`;
    return BigInt(row!.free);
  };
  while (await readFree() < wanted) {
    const [row] = await sql`select 'LOADTEST-' || (count(*) + 1) as serial from gold.bar_overview`;
    await changeAlone(sql, { kind: "vault.add", content: { serial: row!.serial, ...BAR } });
  }
}

/**
 * Tops up a partner's funds with a deposit if less than half of them is left, and returns the available
 * halalas. One login records the deposit and another login approves it, because every deposit needs two
 * people.
 */
async function fund(sql: Sql, second: Sql, clientId: string): Promise<bigint> {
  const readAvailable = async () => {
    const [row] = await sql`
      select sar_available::text from gold.partner_overview where public_id = ${clientId}`;
    return BigInt(row!.sar_available);
  };
  const available = await readAvailable();
  if (available >= FUNDS_HALALAS / 2n) return available;
  const { deposit } = await changeAlone(sql, {
    kind: "deposit.record",
    content: {
      client_id: clientId,
      amount: `${FUNDS_HALALAS}`,
      bank_reference: `load test of ${clientId} ${randomUUID()}`,
    },
  });
  await second`select gold.approve_deposit(${deposit.replace("dep_", "")}::uuid)`;
  return await readAvailable();
}
