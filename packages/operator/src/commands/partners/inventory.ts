import type { Command, Row } from "../../command.ts";
import { instantOf } from "../../output.ts";
import { readCertificate } from "../../pki/certificate.ts";
import { required, spanSeconds } from "../../values.ts";
import type { Credential } from "../credentials/credential.ts";
import { isLast, isLive, warningsOf } from "./inventory_warnings.ts";

const inventory: Command = {
  words: "inventory",
  usage: "inventory [--within 30d] [--all]",
  does:
    "lists every certificate, secret and key of the partners and of the service (owner house), with its validity and last use; warns if one ends within the given time or ended without a replacement; --all also lists everything that has ended",
  options: { within: { type: "string", default: "30d" }, all: { type: "boolean" } },
  async run({ values, query, now }) {
    const withinMs = spanSeconds(required(values, "within"), "within") * 1000;
    const rows = await query`
      select * from gold.credential_overview order by owner collate "C", kind collate "C", not_before, name collate "C"`;
    const all = rows.map((row) => withOwnDates(row as unknown as Credential, now()));
    return {
      items: all.filter((one) => values.all || one.fault !== null || isLive(one) || isLast(one, all)).map((
        one,
      ): Row => ({
        kind: one.kind,
        owner: one.owner,
        name: one.name,
        status: one.status,
        not_before: instantOf(one.not_before),
        expires_at: instantOf(one.expires_at),
        retire_at: instantOf(one.retire_at),
        last_used_at: instantOf(one.last_used_at),
        warning: warningsOf(one, all, withinMs, now()).join("; ") || null,
      })),
    };
  },
};

export const INVENTORY_COMMANDS: readonly Command[] = [inventory];

function datesOf(
  pem: string,
): Pick<ReturnType<typeof readCertificate>, "notBefore" | "notAfter"> | undefined {
  try {
    return readCertificate(pem);
  } catch {
    return undefined;
  }
}

/**
 * Adds the dates of an authority, and sets its status to expired after its end. The dates are read from its
 * certificate, because the database does not store them separately.
 */
function withOwnDates(credential: Credential, now: Date): Credential {
  if (credential.certificate === null) return credential;
  const dates = datesOf(credential.certificate);
  if (!dates) return { ...credential, fault: "its certificate cannot be read" };
  const { notBefore, notAfter } = dates;
  const expired = credential.status === "active" && notAfter <= now;
  return {
    ...credential,
    not_before: notBefore,
    expires_at: notAfter,
    status: expired ? "expired" : credential.status,
  };
}
