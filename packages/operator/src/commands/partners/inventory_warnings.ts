import type { Credential } from "../credentials/credential.ts";

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
/** The kinds of credentials whose use the service records. */
const NOTED_KINDS: readonly string[] = ["certificate", "client_secret", "signing_key", "token_key"];

/**
 * Whether a credential is in force now or later. A revocation list always counts as live, even after it has
 * expired: the proxy then needs a new list, so the warning must stay visible.
 */
export const isLive = ({ kind, status }: Credential): boolean =>
  kind === "revocation_list" || status === "active" || status === "retiring" || status === "not_yet";

/**
 * Whether a credential has ended and has no replacement. A partner without a valid certificate cannot
 * connect, so its last certificate stays visible.
 */
export const isLast = (credential: Credential, all: readonly Credential[]): boolean =>
  !all.some((one) =>
    one.kind === credential.kind && one.owner === credential.owner &&
    (isLive(one) || endOf(one) > endOf(credential))
  );

/**
 * Returns the warnings for one credential. `all` holds every credential, so that a replacement of the same
 * kind is found.
 */
export function warningsOf(
  credential: Credential,
  all: readonly Credential[],
  withinMs: number,
  now: Date,
): string[] {
  const { kind, name, status, expires_at, retire_at, not_before, last_used_at, fault } = credential;
  if (fault !== null) return [`malformed, so the service skips it: ${fault}`];
  if (!isLive(credential)) return isLast(credential, all) ? [`${status}, and nothing replaced it`] : [];
  if (kind === "revocation_list") {
    const authority = all.find((one) => one.kind === "authority" && one.name === name);
    if (authority?.status === "expired") return ["its authority has expired: run gold ca retire"];
    return listWarnings(expires_at, withinMs, now);
  }
  const warnings: string[] = [];
  const leftMs = endOf(credential) - now.getTime();
  if (leftMs <= withinMs) {
    const verb = endOf(credential) === expires_at?.getTime() ? "expires" : "retires";
    warnings.push(
      `${verb} in ${spanText(leftMs)}${hasHeir(credential, all) ? "" : ", and nothing replaces it"}`,
    );
  }
  const isSettled = not_before !== null && now.getTime() - not_before.getTime() > DAY_MS;
  if (NOTED_KINDS.includes(kind) && isSettled && last_used_at === null && retire_at === null) {
    warnings.push("never used");
  }
  return warnings;
}

function listWarnings(expiresAt: Date | null, withinMs: number, now: Date): string[] {
  if (expiresAt === null) return ["there is no list: run gold cert crl"];
  const leftMs = expiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return ["expired: run gold cert crl"];
  return leftMs <= withinMs ? [`expires in ${spanText(leftMs)}: run gold cert crl`] : [];
}

const endOf = ({ expires_at, retire_at }: Credential): number =>
  Math.min(expires_at?.getTime() ?? Infinity, retire_at?.getTime() ?? Infinity);

const hasHeir = (credential: Credential, all: readonly Credential[]): boolean =>
  all.some((one) =>
    one.kind === credential.kind && one.owner === credential.owner && isLive(one) &&
    endOf(one) > endOf(credential)
  );

function spanText(ms: number): string {
  const [count, unit] = ms >= 2 * DAY_MS ? [ms / DAY_MS, "days"] : [ms / HOUR_MS, "hours"];
  return `${Math.floor(count)} ${unit}`;
}
