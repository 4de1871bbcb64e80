// The files that are stored where no database login can reach them.
import { ALLOWABLE, type Allowed } from "./findings.ts";
import type { Rule } from "./rules.ts";
import type { AuditHead } from "./registry/audit_chain.ts";
import type { KeptKey } from "./registry/keys.ts";
import type { KeptRole } from "./catalog/roles.ts";

/** An external checkpoint of a client's hash chain, as `gold ledger heads` writes it. */
export interface KeptHead {
  readonly client_id: string;
  readonly sequence: string;
  readonly head: string;
}

/** What `gold audit keys` writes. */
export interface KeptKeys {
  readonly audit: AuditHead;
  /** The newest row of the history of prices, and the newest list of bars. */
  readonly prices: AuditHead;
  readonly lists: AuditHead;
  readonly items: readonly KeptKey[];
  readonly roles: readonly KeptRole[];
}

const HASH = /^[0-9a-f]{64}$/;
const NUMBER = /^[1-9][0-9]{0,17}$/;

/** Returns undefined if the text is not a file of `gold ledger heads`. */
export function readKeptHeads(text: string): readonly KeptHead[] | undefined {
  const items = parse(text)?.items;
  const isHead = (value: unknown): value is KeptHead => {
    const { client_id, sequence, head } = (value ?? {}) as Record<string, unknown>;
    return typeof client_id === "string" && NUMBER.test(`${sequence}`) && typeof head === "string" &&
      HASH.test(head);
  };
  return Array.isArray(items) && items.every(isHead) ? items : undefined;
}

/** Returns undefined unless the text lists what the operator allows, each with a rule, a row and a reason. */
export function readAllowed(text: string): readonly Allowed[] | undefined {
  const allowed = parse(text)?.allowed;
  const isEntry = (value: unknown): value is Allowed => {
    const { rule, row, found, reason, ...others } = (value ?? {}) as Record<string, unknown>;
    return ALLOWABLE.includes(rule as Rule) && typeof row === "string" && typeof reason === "string" &&
      reason.trim() !== "" && (found === undefined || typeof found === "string") &&
      Object.keys(others).length === 0;
  };
  return Array.isArray(allowed) && allowed.every(isEntry) ? allowed : undefined;
}

/** Returns undefined if the text is not a file of `gold audit keys`. */
export function readKeptKeys(text: string): KeptKeys | undefined {
  const { audit, prices, lists, items, roles } = parse(text) ?? {};
  const isHead = (value: unknown) => {
    const { id, head } = (value ?? {}) as Record<string, unknown>;
    return /^(0|[1-9][0-9]{0,17})$/.test(`${id}`) && HASH.test(`${head}`);
  };
  const areTexts = (value: unknown, ...names: readonly string[]) =>
    names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === "string");
  const isRole = (value: unknown) => {
    const powers = (value as { powers?: unknown } | null)?.powers;
    return areTexts(value, "role") && Array.isArray(powers) &&
      powers.every((power) => typeof power === "string");
  };
  const isWhole = [audit, prices, lists].every(isHead) && Array.isArray(items) &&
    items.every((item) => areTexts(item, "client_id", "kind", "name")) && Array.isArray(roles) &&
    roles.every(isRole);
  return isWhole ? { audit, prices, lists, items, roles } as KeptKeys : undefined;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
