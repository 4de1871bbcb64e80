import { JwsError, parseDetached } from "@gold-partner/jws";
import { NONCE_FORM, REQUEST_HEADER, TIMESTAMP_FORM } from "@gold-partner/protocol";
import type { Partner } from "../../admission/registry/snapshot.ts";
import { activeKeys, checkTimestamp } from "../../admission/signature/verify_signature.ts";
import { Refusal } from "../../http/refusal.ts";
import type { FailedStep } from "./attempts.ts";

interface Step {
  /** True if the step passed; null if the step was not reached. */
  readonly ok: boolean | null;
  readonly detail: string;
}
export type Steps = Record<"timestamp" | "nonce" | "header" | "key" | "signature", Step>;

/** The three headers as they arrived; "" for a missing header. */
export interface ProbedHeaders {
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
}

export const ALL_RIGHT: Steps = {
  timestamp: { ok: true, detail: "Within the window." },
  nonce: { ok: true, detail: "Not used before; this request has used it." },
  header: { ok: true, detail: "As required." },
  key: { ok: true, detail: "Registered and active." },
  signature: { ok: true, detail: "It matches these bytes and this key." },
};
const NOT_REACHED: Step = { ok: null, detail: "Not reached." };

const MILLISECONDS_FORM = /^[1-9][0-9]{12}$/;

/**
 * Checks the steps before the signature. Checks each of them, even if another one fails; only `key` needs a
 * valid header.
 */
export async function checkHeaders(
  headers: ProbedHeaders,
  partner: Partner,
  nowMs: number,
): Promise<Steps> {
  const header = await judge(() => {
    checkPresent(REQUEST_HEADER.signature, headers.signature);
    parseDetached(headers.signature);
  }, ALL_RIGHT.header);
  return {
    timestamp: await judge(() => {
      checkForm(
        REQUEST_HEADER.timestamp,
        headers.timestamp,
        TIMESTAMP_FORM,
        "ten digits: Unix time in seconds",
      );
      checkTimestamp(headers.timestamp, nowMs);
    }, ALL_RIGHT.timestamp),
    nonce: await judge(() => {
      checkForm(
        REQUEST_HEADER.nonce,
        headers.nonce,
        NONCE_FORM,
        "16 to 128 visible ASCII characters without comma",
      );
    }, { ok: true, detail: "Well formed." }),
    header,
    key: header.ok ? checkKey(partner, parseDetached(headers.signature).kid, nowMs) : NOT_REACHED,
    signature: NOT_REACHED,
  };
}

/**
 * Returns the failed step that a common mistake may explain, or undefined if there is none. If the nonce or
 * the timestamp is malformed, the signed text is unknown, so it also returns undefined. A timestamp in
 * milliseconds is an exception, because it is a common mistake itself.
 */
export function stepToExplain({ timestamp }: ProbedHeaders, steps: Steps): FailedStep | undefined {
  if (!steps.nonce.ok) return undefined;
  if (MILLISECONDS_FORM.test(timestamp)) return "timestamp";
  if (!TIMESTAMP_FORM.test(timestamp)) return undefined;
  if (!steps.header.ok) return "header";
  return steps.signature.ok === false ? "signature" : undefined;
}

function checkKey(partner: Partner, kid: string | undefined, nowMs: number): Step {
  if (activeKeys(partner, kid, nowMs).length > 0) return ALL_RIGHT.key;
  return {
    ok: false,
    detail: kid === undefined
      ? "You have no active signing key."
      : "None of your active signing keys has this kid.",
  };
}

/** Runs a check. If it refuses, the refusal's message becomes the step's detail. */
export async function judge(check: () => unknown, right: Step): Promise<Step> {
  try {
    await check();
    return right;
  } catch (error) {
    if (error instanceof Refusal || error instanceof JwsError) return { ok: false, detail: error.message };
    throw error;
  }
}

function checkForm(name: string, value: string, form: RegExp, rule: string): void {
  checkPresent(name, value);
  if (!form.test(value)) throw new Refusal("invalid_request", `${name} must be ${rule}.`);
}

function checkPresent(name: string, value: string): void {
  if (value === "") throw new Refusal("invalid_request", `${name} is missing.`);
}
