import { createHash } from "node:crypto";
import { isProblemCode, PROBLEM_REGISTRY } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import type { Trader } from "../stage/trader.ts";
import { addTo, byFrequency, type Reply, tallyText, verdictOf } from "../stage/wire.ts";

/** One signed request as it was sent. Several requests may carry the same nonce. */
interface Sent {
  readonly trader: Trader;
  readonly path: string;
  readonly nonce: string;
}

interface Use {
  readonly client: number;
  readonly nonce: string;
  readonly accepted: string[];
}

const SHOWN = 10;

/**
 * Records the reply to each signed request. Decides from the reply alone whether the nonce was accepted: it
 * was accepted if the reply is a success, or a problem that spends the nonce (`spends_nonce` in the problem
 * registry). A probe succeeds only with `valid: true`.
 */
export class NonceLog {
  readonly #uses = new Map<string, Use>();
  readonly #verdicts = new Map<string, number>();
  #requests = 0;

  add({ trader, path, nonce }: Sent, reply: Reply | undefined): void {
    this.#requests++;
    const verdict = `${path} ${verdictOf(reply)}`;
    addTo(this.#verdicts, verdict);
    if (!acceptsNonce(path, reply)) return;
    const name = `${trader.client} ${nonce}`;
    const use = this.#uses.get(name) ?? { client: trader.client, nonce, accepted: [] };
    use.accepted.push(`${verdict}, request ${reply!.headers.get("x-request-id")}`);
    this.#uses.set(name, use);
  }

  /** The replies by kind, the most frequent first. */
  get summary(): string {
    return `${this.#requests} signed requests, ${this.#uses.size} nonces accepted: ` +
      tallyText(byFrequency(this.#verdicts));
  }

  count(ending: string): number {
    return [...this.#verdicts].reduce((sum, [verdict, n]) => verdict.endsWith(ending) ? sum + n : sum, 0);
  }

  /**
   * Returns the nonces that were accepted for several requests, and the accepted nonces that are not in the
   * table.
   */
  async findViolations(sql: Sql): Promise<string[]> {
    const rows = await sql<{ name: string }[]>`
      select client_id || ' ' || replace(nonce::text, '-', '') as name from gold.nonce`;
    const stored = new Set(rows.map(({ name }) => name));
    const uses = [...this.#uses.values()];
    const doubled = uses.filter(({ accepted }) => accepted.length > 1);
    const missing = uses.filter(({ client, nonce }) => !stored.has(`${client} ${hashOf(nonce)}`));
    return [
      ...listed(doubled, "accepted for several requests"),
      ...listed(missing, "accepted but are not in the table"),
    ];
  }
}

function listed(uses: readonly Use[], what: string): string[] {
  if (uses.length === 0) return [];
  const shown = uses.slice(0, SHOWN).map(({ nonce, accepted }) => `${nonce} (${accepted.join("; ")})`);
  return [`${uses.length} nonces were ${what}: ${shown.join(", ")}`];
}

function acceptsNonce(path: string, reply: Reply | undefined): boolean {
  if (!reply) return false;
  const body = JSON.parse(reply.body) as { code?: string; valid?: boolean };
  if (reply.status < 300) return path !== "/v1/signed-probe" || body.valid === true;
  if (body.code === undefined || !isProblemCode(body.code) || body.code === "nonce_reused") return false;
  const effect = PROBLEM_REGISTRY[body.code].spends_nonce;
  return effect === true || effect === "order_quote_id" && path === "/v1/orders";
}

/** The table stores only the first sixteen bytes of a nonce's SHA-256. */
const hashOf = (nonce: string): string => createHash("sha256").update(nonce).digest("hex").slice(0, 32);
