import { z } from "zod";
import { sha256Hex } from "./text.ts";

/** The usual mistakes, each tried where a signature fails. */
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
]);
export type ProbeMistake = z.infer<typeof probeMistake>;

const step = z.object({
  ok: z.boolean().nullable().meta({ description: "null: not reached." }),
  detail: z.string(),
}).meta({ id: "ProbeStep", description: "One step of the verification." });

export const probeReply = z.object({
  valid: z.boolean(),
  steps: z.object({ timestamp: step, nonce: step, header: step, key: step, signature: step }),
  clock_offset_seconds: z.number().nullable().meta({
    description: "X-Timestamp minus the service's time; null where the timestamp cannot be read.",
  }),
  canonical_string: z.string().nullable().meta({
    description: "What the service verified the signature over.",
  }),
  canonical_sha256: sha256Hex.nullable(),
  mistake: probeMistake.nullable(),
}).meta({ id: "ProbeVerdict", description: "What is right and wrong with a signed request, step by step." });
export type ProbeReply = z.infer<typeof probeReply>;
