import type { OperatorKeys } from "./operator_keys.ts";
import { rowsOf } from "./changes.ts";
import type { RegistryRow } from "./registry_rows.ts";
import { ApprovalVerifier, type StoredApproval } from "./verifier.ts";

/** What the SQL function read_approvals and its narrower forms return. */
export interface ApprovalDocument {
  /** The id of the deployment, as the database states it. */
  readonly deployment?: string | null;
  /** When each ended key ended, by fingerprint. */
  readonly ends: Readonly<Record<string, string>>;
  /** In the order in which they were approved. */
  readonly approvals: readonly StoredApproval[];
}

/** A stored row that no approval with two valid signatures names with this content. */
export class UnsignedRow extends Error {
  readonly code = "unsigned";
}

/** The rows for which two people signed. */
export class SignedRows {
  readonly #rows: ReadonlyMap<string, string>;

  constructor(rows: Iterable<RegistryRow>) {
    this.#rows = new Map(rows);
  }

  /** What two people signed last for this name. */
  valueOf(name: string): string | undefined {
    return this.#rows.get(name);
  }

  has([name, value]: RegistryRow): boolean {
    return this.#rows.get(name) === value;
  }

  /** Throws UnsignedRow if two people did not sign for this row. */
  demand(row: RegistryRow): void {
    if (!this.has(row)) throw new UnsignedRow(`Two people have not signed for ${row[0]}.`);
  }
}

/**
 * Verifies the approvals of a database from a trusted file. It remembers what it verified, by the whole
 * stored approval, so that a second read verifies only new and edited approvals.
 */
export class SignedRegistry {
  readonly #trusted: OperatorKeys;
  #verifier: ApprovalVerifier | undefined;
  #chain = "";
  #known = new Map<string, readonly RegistryRow[]>();

  constructor(trusted: OperatorKeys) {
    this.#trusted = trusted;
  }

  async read({ ends, approvals }: ApprovalDocument): Promise<SignedRows> {
    const deciding = approvals.filter(isDeciding);
    const chain = JSON.stringify([ends, deciding]);
    if (!this.#verifier || chain !== this.#chain) {
      this.#known = new Map();
      this.#verifier = await followKeys(this.#trusted, { ends, approvals: deciding });
      this.#chain = chain;
    }
    const known = new Map<string, readonly RegistryRow[]>();
    const rows: RegistryRow[] = [];
    for (const approval of approvals) {
      if (isDeciding(approval)) continue;
      const text = JSON.stringify(approval);
      const signed = this.#known.get(text) ?? await rowsSignedBy(approval, this.#verifier);
      known.set(text, signed);
      rows.push(...signed);
    }
    this.#known = known;
    return new SignedRows(rows);
  }
}

/** Whether other approvals count because of this one. */
const isDeciding = ({ kind }: StoredApproval) => kind === "operator_key.add" || kind === "approval.adopt";

/**
 * Returns the pairs of ids and hashes of version 1 that this approval lists. Call it only for an approval that
 * holds. A key that a text of version 1 added cannot sign a list, because only the list makes the text count.
 */
export const takeList = ({ kind, content }: StoredApproval): readonly (readonly [string, string])[] =>
  kind === "approval.adopt" ? (content as { approvals: [string, string][] }).approvals : [];

/** Returns the hashes of version 1 that two people listed, by the id of the proposal. */
export async function readLists(
  trusted: OperatorKeys,
  ends: ReadonlyMap<string, number>,
  approvals: readonly StoredApproval[],
): Promise<ReadonlyMap<string, string>> {
  const verifier = new ApprovalVerifier(trusted, ends);
  const listed = new Map<string, string>();
  for (const approval of approvals) {
    const fault = await verifier.verify(approval).catch(() => "unreadable");
    if (fault === undefined) { for (const [id, sha256] of takeList(approval)) listed.set(id, sha256); }
  }
  return listed;
}

/** The instants at which keys ended, in milliseconds. */
export const endTimes = (ends: ApprovalDocument["ends"]): ReadonlyMap<string, number> =>
  new Map(Object.entries(ends).map(([key, end]) => [key, Date.parse(end)] as const));

/** Returns a verifier with the first keys and each later key that two holders of known keys approved. */
export async function followKeys(
  trusted: OperatorKeys,
  { ends, approvals }: ApprovalDocument,
): Promise<ApprovalVerifier> {
  const times = endTimes(ends);
  const deciding = approvals.filter(isDeciding);
  const verifier = new ApprovalVerifier(trusted, times, await readLists(trusted, times, deciding));
  for (const approval of deciding) await verifier.verify(approval).catch(() => {});
  return verifier;
}

/** No rows if the signatures do not hold. */
async function rowsSignedBy(approval: StoredApproval, verifier: ApprovalVerifier) {
  const fault = await verifier.verify(approval).catch(() => "unreadable");
  return fault === undefined ? rowsNamedBy(approval) : [];
}

/** No rows if a superuser stored content that nobody can read. */
function rowsNamedBy({ kind, content }: StoredApproval): readonly RegistryRow[] {
  try {
    return rowsOf(kind, content as Readonly<Record<string, unknown>>);
  } catch {
    return [];
  }
}

/**
 * Says which rows approvals name. Verifies no signature, so it needs no keys, and must not decide what is in
 * force.
 */
export const UNVERIFIED: Pick<SignedRegistry, "read"> = {
  read: ({ approvals }) => Promise.resolve(new SignedRows(approvals.flatMap(rowsNamedBy))),
};

/**
 * Throws if the database is another deployment than the one of the file, or if nobody has listed the approvals
 * of version 1. A process would otherwise ignore the rows of all partners.
 */
export function requireDeployment(
  { deployment: { id, name, baseUrl } }: OperatorKeys,
  { deployment, approvals }: ApprovalDocument,
): void {
  if (deployment !== id) {
    throw new Error(
      `names the deployment ${id} (${name}, ${baseUrl}), but the database is the deployment ${deployment}. Check the database URL and the file.`,
    );
  }
  const isListed = approvals.some(({ kind }) => kind === "approval.adopt");
  if (isListed || approvals.every((one) => one.deployment !== null)) return;
  throw new Error(
    "cannot be used yet, because approvals of 0.5.0 and earlier name no deployment. Two people must first sign a list of them: run `gold proposal adopt`.",
  );
}

/** Why a process in production refuses OPERATOR_KEYS=off. */
export const OFF_REFUSED =
  "must be the absolute path of the file with the operators' first keys; got off. Two people have signed for every row, so production no longer starts with off.";
