import { z } from "zod";
import { sha256Hex } from "./text.ts";

/**
 * The common mistakes of signers. When the step `timestamp`, `header` or `signature` fails, the service
 * checks whether one of that step's mistakes explains the failure.
 */
export const probeMistake = z.enum([
  "path_not_url",
  "wrong_host",
  "explicit_port",
  "upper_case_hex",
  "upper_case_host",
  "crlf",
  "trailing_newline",
  "payload_base64url",
  "der_signature",
  "milliseconds",
  "body_reserialised",
]).meta({
  description: "What was signed instead. " +
    "path_not_url: a part of the URL. wrong_host: another scheme, host or port. explicit_port: the URL with :443. " +
    "upper_case_hex: the body's SHA-256 in upper case. upper_case_host: scheme or host with capital letters. " +
    "crlf: the lines joined with CR LF. trailing_newline: a line break after the last line. " +
    "payload_base64url: the string's base64url, as in an ordinary JWS. body_reserialised: another spelling of the same body. " +
    "All of these fail the step `signature`, except that payload_base64url fails the step `header` if b64 is not false. " +
    "der_signature: a DER signature, not r and s; it fails the step `header`. " +
    "milliseconds: X-Timestamp in milliseconds; it fails the step `timestamp`.",
});
export type ProbeMistake = z.infer<typeof probeMistake>;

const step = z.object({
  ok: z.boolean().nullable().meta({
    description: "Whether this step succeeded; null if it was not reached.",
  }),
  detail: z.string().meta({ description: "What the service found." }),
}).meta({ id: "ProbeStep", description: "One step of the verification." });

export const probeReply = z.object({
  valid: z.boolean().meta({
    description:
      "Whether an order signed like this would pass. A valid probe spends the nonce; an invalid probe does not.",
  }),
  steps: z.object({ timestamp: step, nonce: step, header: step, key: step, signature: step }).meta({
    description:
      "The checks of an order: X-Timestamp's form and window; X-Nonce's form, and that it is fresh; " +
      "X-JWS-Signature's form and protected header; its key; the signature, checked only if all others " +
      "are correct. If a mistake is named, the failed step says what to do.",
  }),
  clock_offset_seconds: z.number().nullable().meta({
    description: "X-Timestamp minus the service's time; null if the timestamp cannot be read.",
  }),
  canonical_string: z.string().nullable().meta({
    description:
      "The string over which the service verifies the signature; null if X-Timestamp or X-Nonce is malformed.",
  }),
  canonical_sha256: sha256Hex.nullable().meta({
    description: "SHA-256 of canonical_string in lower-case hex; null if there is none.",
  }),
  mistake: probeMistake.nullable().meta({
    description:
      "The common mistake that explains the failure. It is proven, not guessed: one of your keys made " +
      "this signature over the string that the mistake produces. null: no common mistake explains it.",
  }),
}).meta({ id: "ProbeVerdict", description: "What is right and wrong with a signed request, step by step." });
export type ProbeReply = z.infer<typeof probeReply>;
