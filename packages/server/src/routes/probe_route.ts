import { canonicalRequest, JsonNumber, type JsonObject } from "@gold-partner/canonical";
import { parseDetached } from "@gold-partner/jws";
import {
  hostBytes,
  ID_PREFIX,
  NONCE_FORM,
  type ProbeMistake,
  REPLY_HEADER,
  REQUEST_HEADER,
  TIMESTAMP_FORM,
} from "@gold-partner/protocol";
import type { Counted } from "../admission/counted.ts";
import { readBody } from "../admission/body/read_body.ts";
import { rateFields } from "../admission/rate/rate_fields.ts";
import { createRateLimiter, type RateLimiter, type RateTerms } from "../admission/rate/rate_limiter.ts";
import type { Partner } from "../admission/registry/snapshot.ts";
import { activeKeys, rereadPartner, type SignedRequest } from "../admission/signature/verify_signature.ts";
import type { Caller } from "../admission/token/caller.ts";
import { readSignatureForms } from "../admission/signature/header_forms.ts";
import { nonceUuid } from "../admission/signature/nonce_uuid.ts";
import { LIMIT_STATUS, type Outcome } from "../booking/outcome.ts";
import { admitCaller } from "../admission/admit_caller.ts";
import { authenticate, signedUrl } from "../admission/signature/authenticate.ts";
import type { AppContext, Route } from "../http/context.ts";
import { bookAdmitted } from "./book_admitted.ts";
import type { Deps } from "./deps.ts";
import type { ProbedRequest } from "./probe/attempts.ts";
import { diagnose } from "./probe/diagnosis.ts";
import { readLooseSignature } from "./probe/loose_signature.ts";
import { MISTAKE_CURES } from "./probe/mistake_cures.ts";
import {
  ALL_RIGHT,
  checkHeaders,
  judge,
  type ProbedHeaders,
  type Steps,
  stepToExplain,
} from "./probe/steps.ts";
import { Refusal } from "../http/refusal.ts";
import { jsonReply, problemReply } from "../http/reply.ts";
import { outcomeReply } from "./outcome_reply.ts";

const STRICT = /(?:^|,)\s*handling\s*=\s*(?:strict|"strict")\s*(?:,|;|$)/i;
/**
 * Limits diagnoses, because each costs as much as dozens of orders. Manual tests stay below this rate; a
 * program that sends probes in a loop exceeds it.
 */
const DIAGNOSIS_RATE: RateTerms = { perSecond: 1, burst: 30 };
const TOO_MANY_DIAGNOSES =
  "The probe explains at most one failed signature per second, and up to 30 at once after a pause. Valid probes and " +
  "probes with Prefer: handling=strict do not count. Wait for the number of seconds in Retry-After, then send the probe again.";
const USED_NONCE = { ok: false, detail: "This nonce was used before; an order with it would be refused." };
/** The headers that may hold the host name by which the caller reaches this service. */
const HOST_HEADERS = ["host", "x-forwarded-host"];

interface ProbeDeps extends Deps {
  readonly diagnoses: RateLimiter;
}

/** POST /v1/signed-probe: checks a signature over any body, and reports the result of each step. */
export function probeRoute(deps: Deps): Route {
  const probeDeps: ProbeDeps = { ...deps, diagnoses: createRateLimiter() };
  return async (c) => {
    const strict = STRICT.test(c.req.header(REQUEST_HEADER.prefer) ?? "");
    const reply = strict ? await answerAsAnOrder(c, deps) : await explain(c, probeDeps);
    if (strict) reply.headers.set(REPLY_HEADER.preferenceApplied, "handling=strict");
    return reply;
  };
}

async function answerAsAnOrder(c: AppContext, deps: Deps): Promise<Response> {
  const admit = async () => await verify(c, deps, await admitCaller(c, deps));
  const book = ({ partner, nonce }: SignedRequest) => spend(c, deps, partner, nonce);
  const booked = await bookAdmitted(admit, book, deps);
  if (booked.status === LIMIT_STATUS) return outcomeReply(booked, c.get("exchange"));
  const { outcome } = booked;
  if (outcome !== "answered") return problemReply(new Refusal(outcome as "nonce_reused"), c.get("exchange"));
  return await verdict(c, deps, ALL_RIGHT, null);
}

async function explain(c: AppContext, deps: ProbeDeps): Promise<Response> {
  const caller = await admitCaller(c, deps);
  // Refuse a body that is too large, as every route does, even if no step reads the body.
  await readBody(c);
  const headers = headersOf(c);
  let holder = caller.partner;
  let steps = await checkHeaders(headers, holder, deps.now());
  if (steps.key.ok === false) {
    holder = await rereadPartner(holder, deps.registry);
    steps = await checkHeaders(headers, holder, deps.now());
  }
  if (steps.timestamp.ok && steps.nonce.ok && steps.key.ok) {
    steps.signature = await judge(() => verify(c, deps, caller), ALL_RIGHT.signature);
  }
  if (!steps.signature.ok) return await verdict(c, deps, steps, await findMistake(c, deps, holder, steps));
  const admit = () => admitCaller(c, deps);
  const book = ({ partner }: Caller) => spend(c, deps, partner, headers.nonce);
  const booked = await bookAdmitted(admit, book, deps);
  if (booked.status === LIMIT_STATUS) return outcomeReply(booked, c.get("exchange"));
  steps.nonce = booked.outcome === "answered" ? ALL_RIGHT.nonce : USED_NONCE;
  return await verdict(c, deps, steps, null);
}

async function verify(c: AppContext, deps: Deps, caller: Counted<Caller>): Promise<SignedRequest> {
  const body = await readBody(c);
  const forms = readSignatureForms((name) => c.req.header(name));
  return await authenticate(caller, body, forms, c, deps);
}

/** Tries the common mistakes. If a mistake explains the failure, adds its fix to the failed step. */
async function findMistake(
  c: AppContext,
  { config, diagnoses, monotonicMs, now }: ProbeDeps,
  partner: Partner,
  steps: Steps,
): Promise<ProbeMistake | null> {
  const headers = headersOf(c);
  const failed = stepToExplain(headers, steps);
  const signature = readLooseSignature(headers.signature);
  if (!failed || !signature) return null;
  const rate = diagnoses.take(partner.id, DIAGNOSIS_RATE, monotonicMs());
  if (!rate.allowed) {
    c.get("exchange").rateFields = rateFields(DIAGNOSIS_RATE, rate, "diagnosis");
    throw new Refusal("rate_limited", TOO_MANY_DIAGNOSES);
  }
  const kid = steps.header.ok ? parseDetached(headers.signature).kid : undefined;
  const { timestamp, nonce } = headers;
  const request: ProbedRequest = {
    method: c.req.method,
    baseUrl: config.publicBaseUrl,
    target: c.get("target"),
    body: await readBody(c),
    timestamp,
    nonce,
    hosts: HOST_HEADERS.flatMap((name) => c.req.header(name) ?? []),
  };
  const mistake = await diagnose(failed, signature, request, activeKeys(partner, kid, now()));
  if (mistake) steps[failed] = { ok: false, detail: `${steps[failed].detail} ${MISTAKE_CURES[mistake]}` };
  return mistake;
}

async function spend(
  c: AppContext,
  deps: Deps,
  partner: Caller["partner"],
  nonce: string,
): Promise<Outcome> {
  const outcome = await deps.booking.spend({
    client: partner.id,
    admissionVersion: partner.admissionVersion,
    nonce: nonceUuid(nonce),
    requestId: c.get("exchange").requestId.slice(ID_PREFIX.request.length),
  });
  if (outcome.outcome === "idempotency_request_in_progress") {
    // Here, this outcome means that the account is busy, because a probe has no idempotency key.
    throw new Refusal("service_unavailable", "Your account is busy with other requests.");
  }
  return outcome;
}

async function verdict(
  c: AppContext,
  deps: Deps,
  steps: Steps,
  mistake: ProbeMistake | null,
): Promise<Response> {
  const canonical = await canonicalOf(c, deps);
  const { timestamp } = headersOf(c);
  return jsonReply({
    valid: Object.values(steps).every(({ ok }) => ok),
    steps: steps as unknown as JsonObject,
    clock_offset_seconds: TIMESTAMP_FORM.test(timestamp)
      ? new JsonNumber((Number(timestamp) - deps.now() / 1000).toFixed(3))
      : null,
    canonical_string: canonical,
    canonical_sha256: canonical === null ? null : hostBytes.sha256Hex(hostBytes.utf8(canonical)),
    mistake,
  }, c.get("exchange"));
}

async function canonicalOf(c: AppContext, deps: Deps): Promise<string | null> {
  const { timestamp, nonce } = headersOf(c);
  if (!TIMESTAMP_FORM.test(timestamp) || !NONCE_FORM.test(nonce)) return null;
  const bodySha256 = hostBytes.sha256Hex(await readBody(c));
  return canonicalRequest({ method: c.req.method, url: signedUrl(c, deps), bodySha256, timestamp, nonce });
}

function headersOf(c: AppContext): ProbedHeaders {
  const read = (name: string) => c.req.header(name) ?? "";
  return {
    timestamp: read(REQUEST_HEADER.timestamp),
    nonce: read(REQUEST_HEADER.nonce),
    signature: read(REQUEST_HEADER.signature),
  };
}
