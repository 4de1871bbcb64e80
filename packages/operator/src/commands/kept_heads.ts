import { usage } from "../failure.ts";

/**
 * An external checkpoint of a client's hash chain: its last sequence number at some time, and the hash of that
 * link. The operators' audit trail has the client_id `audit`.
 */
export interface Head {
  readonly client_id: string;
  readonly sequence: string;
  readonly head: string;
}

/** Reads a file that `gold ledger heads --out` or the service wrote. Only the service states an instant. */
export function readHeads(text: string): { readonly items: readonly Head[]; readonly keptAt: string | null } {
  let file: { items?: unknown; at?: unknown } | null;
  try {
    file = JSON.parse(text);
  } catch {
    file = null;
  }
  const items = file?.items;
  if (Array.isArray(items) && items.every(isHead)) {
    return { items, keptAt: typeof file!.at === "string" ? file!.at : null };
  }
  throw usage(
    "--heads must name the service's HEADS_FILE or a file of `gold ledger heads --out FILE`; this file has another format.",
  );
}

function isHead(value: unknown): value is Head {
  const { client_id, sequence, head } = (value ?? {}) as Record<string, unknown>;
  return typeof client_id === "string" && /^[1-9][0-9]{0,17}$/.test(`${sequence}`) &&
    typeof head === "string" && /^[0-9a-f]{64}$/.test(head);
}
