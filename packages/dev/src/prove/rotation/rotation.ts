import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { Credentials } from "../../partner.ts";
import { newKeyFiles, writeCsr } from "../../partner_keys.ts";
import type { Deployment } from "../deployment.ts";
import type { Inbox } from "../inboxes.ts";
import type { Finding } from "../report.ts";
import type { RotatingPartner } from "./party.ts";
import type { Kind } from "./straggler.ts";

/** How one kind of credential is replaced, by `gold` and by the partner. */
export interface Rotation {
  readonly name: string;
  /** Puts the new one beside the old one. */
  renew(desk: Desk): Promise<Renewal>;
}

export interface Renewal {
  /** What the partner goes over to. */
  readonly change: Partial<Credentials>;
  /** What somebody tries who stays with the old one. */
  readonly tried: readonly Kind[];
  /** How each of these is refused once the old one has ended; the others go on being let in. */
  readonly refused: Partial<Readonly<Record<Kind, string>>>;
  /** Ends the old one; absent where it ends by itself, long after this. */
  retire?(): Promise<unknown>;
  /** What else must be true in the end. */
  check?(partner: RotatingPartner): Promise<Finding>;
}

/** Where operator and partner work: the deployment, and whose credentials they are. */
export interface Desk {
  readonly deployment: Deployment;
  readonly organization: string;
  readonly clientId: string;
  /** Where the partner's webhooks come in. */
  readonly inbox: Inbox;
}

/** Of whoever connects with a certificate that has ended. */
const ENDED = "403 certificate_revoked";
export const CERTIFICATE_ENDED: Renewal["refused"] = { write: ENDED, read: ENDED, handshake: "refused" };

/** A new key and a new request, as a key is certified once. */
export async function issueCertificate(
  { deployment: { operator, state }, clientId, organization }: Desk,
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

/** Whatever of the kind still lives beside the new one. */
export async function forOthers(
  { deployment: { operator } }: Desk,
  list: string,
  member: string,
  kept: unknown,
  end: (name: string) => Promise<unknown>,
): Promise<void> {
  const { items } = await operator(list) as { items: Record<string, string>[] };
  const others = items.filter((one) => one[member] !== kept && LIVING.includes(one.status!));
  if (others.length === 0) throw new Error(`${list} shows nothing that could end`);
  for (const other of others) await end(other[member]!);
}
