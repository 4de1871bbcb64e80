import { setTimeout as sleep } from "node:timers/promises";
import type { Finding } from "../stage/report.ts";
import type { OrderStream } from "./order_stream.ts";
import type { RotatingPartner } from "./connected_partner.ts";
import type { Renewal, Rotation, RotationTarget } from "./rotation.ts";
import { type Kind, OldCredentials, PASSED, type Sample } from "./old_credentials.ts";
import { until } from "../../testing/until.ts";
import { percentile } from "../../testing/statistics.ts";

/** How long after its end the old credential may still be accepted, according to the design. */
const GRACE_MS: Readonly<Record<Kind, number>> = { write: 0, token: 1000, read: 1000, handshake: 2000 };
/**
 * The shortest time for which the old credential is still tried after its end. Well above the longest grace
 * period.
 */
const AFTER_MS = 3500;
/** The minimum number of samples of each kind. The proof waits for them on a slow machine. */
const SAMPLES_MIN = 5;

/** The old credential ended between these two instants, which are readings of the proof's own clock. */
interface End {
  readonly beganMs: number;
  readonly doneMs: number;
}

interface Result extends Finding {
  /** The executed orders of the partner that kept the old credential. */
  readonly accepted: readonly string[];
}

/**
 * Rotates one credential while orders continue. Checks that a partner that switches is never refused. A
 * partner that does not switch must be refused after the old credential's end, except for the kinds of
 * requests that the rotation still allows.
 */
export async function rotate(
  rotation: Rotation,
  target: RotationTarget,
  partner: RotatingPartner,
  stream: OrderStream,
): Promise<Result> {
  const renewal = await rotation.renew(target);
  const old = await partner.adopt(renewal.change);
  const oldCredentials = new OldCredentials(old, partner.current, renewal.tried);
  const untilTried = (count: (kind: Kind) => number) =>
    until(() => renewal.tried.every((kind) => count(kind) >= SAMPLES_MIN), () => rotation.name);
  await untilTried((kind) => oldCredentials.samples.filter((sample) => sample.kind === kind).length);
  const beganMs = performance.now();
  await renewal.retire?.();
  const end: End = { beganMs, doneMs: performance.now() };
  await sleep(AFTER_MS);
  await untilTried((kind) => split(kind, oldCredentials.samples, end, renewal).after.length);
  // Check that the partner can still get a new token.
  await partner.current.takeToken();
  await oldCredentials.stop();
  const checked = await renewal.check?.(partner);
  const { durationsMs, failures } = stream.take();
  return {
    what: [
      `${durationsMs.length} orders, ${failures.length} failed, p99 ${percentile(durationsMs, 0.99)} ms`,
      ...renewal.tried.map((kind) => describe(kind, oldCredentials.samples, end, renewal)),
      ...checked ? [checked.what] : [],
    ].join("; "),
    violations: [
      ...failures,
      ...renewal.tried.flatMap((kind) => check(kind, oldCredentials.samples, end, renewal)),
      ...checked?.violations ?? [],
    ],
    accepted: oldCredentials.accepted,
  };
}

function check(kind: Kind, samples: readonly Sample[], end: End, renewal: Renewal): string[] {
  const { before, after } = split(kind, samples, end, renewal);
  const expected = renewal.refused[kind] ?? PASSED[kind];
  const early = before.filter(({ verdict }) => verdict !== PASSED[kind]).map(({ verdict }) =>
    `a ${kind} with the old credential got ${verdict} before its end`
  );
  const late = after.filter(({ verdict }) => verdict !== expected).map(({ verdict, sentAtMs }) =>
    `a ${kind} with the old credential got ${verdict}, ${Math.round(sentAtMs - end.doneMs)} ms after its end`
  );
  return [...early, ...late];
}

/**
 * Returns two groups of samples: those that were answered before the retirement of the old credential began,
 * and those that were sent after the retirement and the grace period. Between these times, both answers are
 * allowed.
 */
function split(kind: Kind, samples: readonly Sample[], { beganMs, doneMs }: End, { refused }: Renewal) {
  const own = samples.filter((sample) => sample.kind === kind);
  const grace = refused[kind] === undefined ? 0 : GRACE_MS[kind];
  return {
    before: own.filter(({ answeredAtMs }) => answeredAtMs < beganMs),
    after: own.filter(({ sentAtMs }) => sentAtMs >= doneMs + grace),
  };
}

function describe(kind: Kind, samples: readonly Sample[], end: End, renewal: Renewal): string {
  const { before, after } = split(kind, samples, end, renewal);
  const verdict = renewal.refused[kind];
  if (verdict === undefined) {
    return `${before.length + after.length} ${kind}s with the old credential accepted`;
  }
  const passed = samples.filter((one) => one.kind === kind && one.verdict === PASSED[kind]);
  const lastMs = Math.max(0, ...passed.map(({ sentAtMs }) => sentAtMs - end.doneMs));
  const refused = after.filter((one) => one.verdict === verdict);
  return `${kind}s: ${before.length} accepted, the last ${
    Math.round(lastMs)
  } ms after the end, then ${refused.length} × ${verdict}`;
}
