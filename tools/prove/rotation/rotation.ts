import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { type Credentials, newKeyFiles, writeCsr } from "@gold-partner/dev";
import type { Deployment } from "../stage/deployment.ts";
import type { Inbox } from "../stage/inboxes.ts";
import type { Finding } from "../stage/report.ts";
import type { RotatingPartner } from "./connected_partner.ts";
import type { Kind } from "./old_credentials.ts";

/** How one kind of credential is replaced, by `gold` and by the partner. */
export interface Rotation {
  readonly name: string;
  /** Adds the new credential beside the old one. */
  renew(target: RotationTarget): Promise<Renewal>;
}

export interface Renewal {
  /** The credentials that the partner switches to. */
  readonly change: Partial<Credentials>;
  /** The kinds of requests that are tried with the old credential. */
  readonly tried: readonly Kind[];
  /** How each kind is refused once the old credential has ended. Kinds that are not listed stay allowed. */
  readonly refused: Partial<Readonly<Record<Kind, string>>>;
  /** Ends the old credential. Absent if the credential expires by itself, long after this check. */
  retire?(): Promise<unknown>;
  /** Checks another condition that must hold at the end. */
  check?(partner: RotatingPartner): Promise<Finding>;
}

/** The deployment, and the partner whose credentials are rotated. */
export interface RotationTarget {
  readonly deployment: Deployment;
  readonly organization: string;
  readonly clientId: string;
  /** The partner's webhook receiver. */
  readonly inbox: Inbox;
}

/** The verdict on a request over a connection whose certificate was revoked, or whose CA was retired. */
const ENDED = "403 certificate_revoked";
export const CERTIFICATE_ENDED: Renewal["refused"] = { write: ENDED, read: ENDED, handshake: "refused" };

/** Issues a certificate for a new key, because the CA certifies a key only once. */
export async function issueCertificate(
  { deployment: { operator, state }, clientId, organization }: RotationTarget,
): Promise<{ change: Partial<Credentials>; fingerprint: string }> {
  const name = `tls_${randomUUID()}`;
  const folder = state.path("partners", clientId);
  const { pair } = await newKeyFiles(state, folder, name);
  const [csr, cert] = [`${folder}/${name}.csr`, `${folder}/${name}.crt`];
  await writeFile(csr, await writeCsr(pair, { organization, commonName: clientId }));
  const { fingerprint } = await operator("cert issue", clientId, "--csr", csr, "--out", cert);
  return { change: { cert, key: `${folder}/${name}_key.pem` }, fingerprint: fingerprint as string };
}

const LIVING = ["active", "retiring", "trusted"];

/** Returns the name of the newest credential. `gold` lists the oldest first. */
export async function newestOf(
  { deployment: { operator } }: RotationTarget,
  list: string,
  member: string,
): Promise<string> {
  const { items } = await operator(list) as { items: Record<string, string>[] };
  return items.at(-1)![member]!;
}

/** Ends every valid credential that `gold` lists, except the credential `kept`. */
export async function forOthers(
  { deployment: { operator } }: RotationTarget,
  list: string,
  member: string,
  kept: unknown,
  end: (name: string) => Promise<unknown>,
): Promise<void> {
  const { items } = await operator(list) as { items: Record<string, string>[] };
  const others = items.filter((one) => one[member] !== kept && LIVING.includes(one.status!));
  if (others.length === 0) throw new Error(`gold ${list} lists no other valid credential to retire`);
  for (const other of others) await end(other[member]!);
}
