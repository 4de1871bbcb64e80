import { canonicalRequest, JsonNumber, type JsonObject } from "@gold-partner/canonical";
import { JwsError, parseDetached } from "@gold-partner/jws";
import { hostBytes, NONCE_FORM, REPLY_HEADER, REQUEST_HEADER, TIMESTAMP_FORM } from "@gold-partner/protocol";
import { readBody } from "./admission/body/read_body.ts";
import { readSignatureForms } from "./admission/signature/header_forms.ts";
import { activeKeys, checkTimestamp, verifySignature } from "./admission/signature/verify_signature.ts";
import type { Caller } from "./admission/token/caller.ts";
import { nonceUuid } from "./booking/nonce/nonce_uuid.ts";
import type { Outcome } from "./booking/outcome.ts";
import { type AppContext, bookAdmitted, identify, signedUrl } from "./corridor.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";
import { jsonReply, problemReply } from "./reply.ts";

type Step = { readonly ok: boolean | null; readonly detail: string };
type StepName = "timestamp" | "nonce" | "header" | "key" | "signature";

const STRICT = /(?:^|,)\s*handling\s*=\s*strict\s*(?:,|;|$)/i;
const NOT_REACHED: Step = { ok: null, detail: "Not reached." };

/** POST /v1/signed-probe: judges a signature over any body, and says step by step what it found. */
export function probeRoute(deps: Deps): (c: AppContext) => Promise<Response> {
  return async (c) => {
    const strict = STRICT.test(c.req.header(REQUEST_HEADER.prefer) ?? "");
    const reply = strict ? await answerAsAnOrder(c, deps) : await explain(c, deps);
    if (strict) reply.headers.set(REPLY_HEADER.preferenceApplied, "handling=strict");
    return reply;
  };
}

async function answerAsAnOrder(c: AppContext, deps: Deps): Promise<Response> {
  const admit = async () => {
    const caller = await identify(c, deps);
    const body = await readBody(c);
    const forms = readSignatureForms((name) => c.req.header(name));
    return await verifySignature(
      caller,
      { method: c.req.method, url: signedUrl(c, deps), body },
      forms,
      deps.now(),
    );
  };
  const { outcome } = await bookAdmitted(admit, ({ partner, nonce }) => spend(deps, partner, nonce), deps);
  if (outcome !== "answered") return problemReply(new Refusal(outcome as "nonce_reused"), c.get("requestId"));
  return await verdict(c, deps, {
    timestamp: { ok: true, detail: "Within the window." },
    nonce: { ok: true, detail: "Fresh, and spent now." },
    header: { ok: true, detail: "As required." },
    key: { ok: true, detail: "Registered and active." },
    signature: { ok: true, detail: "It belongs to these bytes." },
  });
}

async function explain(c: AppContext, deps: Deps): Promise<Response> {
  const caller = await identify(c, deps);
  // Size refuses here as it does everywhere, even where no step comes to look at the body.
  await readBody(c);
  const steps: Record<StepName, Step> = {
    timestamp: judge(() => {
      const timestamp = wellFormed(
        c,
        REQUEST_HEADER.timestamp,
        TIMESTAMP_FORM,
        "ten digits: Unix time in seconds",
      );
      checkTimestamp(timestamp, deps.now());
      return "Within the window.";
    }),
    nonce: judge(() => {
      wellFormed(c, REQUEST_HEADER.nonce, NONCE_FORM, "16 to 128 visible ASCII characters without comma");
      return "Well formed.";
    }),
    header: NOT_REACHED,
    key: NOT_REACHED,
    signature: NOT_REACHED,
  };
  const signature = c.req.header(REQUEST_HEADER.signature) ?? "";
  steps.header = judge(() => {
    parseDetached(signature);
    return "As required.";
  });
  if (steps.header.ok) steps.key = judgeKey(caller, parseDetached(signature).kid, deps.now());
  if (steps.key.ok && steps.timestamp.ok && steps.nonce.ok) {
    steps.signature = await judgeSignature(c, deps, caller);
  }
  if (steps.signature.ok) {
    const { outcome } = await bookAdmitted(
      () => identify(c, deps),
      ({ partner }) => spend(deps, partner, c.req.header(REQUEST_HEADER.nonce)!),
      deps,
    );
    steps.nonce = outcome === "answered"
      ? { ok: true, detail: "Fresh, and spent now." }
      : { ok: false, detail: "This nonce was used before; an order with it would be refused." };
  }
  return await verdict(c, deps, steps);
}

async function judgeSignature(c: AppContext, deps: Deps, caller: Caller): Promise<Step> {
  const request = { method: c.req.method, url: signedUrl(c, deps), body: await readBody(c) };
  try {
    await verifySignature(caller, request, readSignatureForms((name) => c.req.header(name)), deps.now());
    return { ok: true, detail: "It belongs to these bytes." };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, detail: error.message };
    throw error;
  }
}

function judgeKey(caller: Caller, kid: string | undefined, nowMs: number): Step {
  const keys = activeKeys(caller.partner, kid, nowMs);
  if (keys.length > 0) return { ok: true, detail: "Registered and active." };
  return {
    ok: false,
    detail: kid === undefined
      ? "No signing key of yours is active."
      : "No active signing key of yours has this kid.",
  };
}

function judge(check: () => string): Step {
  try {
    return { ok: true, detail: check() };
  } catch (error) {
    if (error instanceof Refusal || error instanceof JwsError) return { ok: false, detail: error.message };
    throw error;
  }
}

function wellFormed(c: AppContext, name: string, form: RegExp, rule: string): string {
  const value = c.req.header(name);
  if (value === undefined) throw new Refusal("invalid_request", `${name} is missing.`);
  if (!form.test(value)) throw new Refusal("invalid_request", `${name} must be ${rule}.`);
  return value;
}

async function spend(deps: Deps, partner: Caller["partner"], nonce: string): Promise<Outcome> {
  const outcome = await deps.booking.spend({
    client: partner.id,
    admissionVersion: partner.admissionVersion,
    nonce: nonceUuid(nonce),
  });
  if (outcome.outcome === "idempotency_request_in_progress") {
    // A probe has no key that anybody could be waiting for.
    throw new Refusal("service_unavailable", "Your account is busy with other requests.");
  }
  return outcome;
}

async function verdict(c: AppContext, deps: Deps, steps: Record<StepName, Step>): Promise<Response> {
  const canonical = await canonicalOf(c, deps);
  const timestamp = c.req.header(REQUEST_HEADER.timestamp) ?? "";
  return jsonReply({
    valid: Object.values(steps).every(({ ok }) => ok),
    steps: steps as unknown as JsonObject,
    clock_offset_seconds: TIMESTAMP_FORM.test(timestamp)
      ? new JsonNumber((Number(timestamp) - deps.now() / 1000).toFixed(3))
      : null,
    canonical_string: canonical,
    canonical_sha256: canonical === null ? null : hostBytes.sha256Hex(hostBytes.utf8(canonical)),
    mistake: null,
  }, c.get("requestId"));
}

async function canonicalOf(c: AppContext, deps: Deps): Promise<string | null> {
  const timestamp = c.req.header(REQUEST_HEADER.timestamp) ?? "";
  const nonce = c.req.header(REQUEST_HEADER.nonce) ?? "";
  if (!TIMESTAMP_FORM.test(timestamp) || !NONCE_FORM.test(nonce)) return null;
  const bodySha256 = hostBytes.sha256Hex(await readBody(c));
  return canonicalRequest({ method: c.req.method, url: signedUrl(c, deps), bodySha256, timestamp, nonce });
}
