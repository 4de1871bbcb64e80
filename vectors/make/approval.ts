import { createHash } from "node:crypto";
import type { VectorFile } from "./vector_file.ts";

interface Case {
  readonly name: string;
  /** Null for version 1. */
  readonly deployment: string | null;
  readonly id: string;
  readonly kind: string;
  readonly proposer: string;
  readonly proposed_at: string;
  readonly expires_at: string;
  /** As JSON, and in the form of RFC 8785. */
  readonly content: readonly [json: string, canonical: string];
  readonly approver: string;
}

const PRODUCTION = "production-6f1c0c1e-0b5d-4c3f-9a57-2f1f8d0a4b11";
const SANDBOX = "sandbox-0a2b9d4e-77c1-4e0b-8a36-5f0e1d2c3b4a";
const TIMES = { proposed_at: "2026-01-31T09:30:00.000Z", expires_at: "2026-02-03T09:30:00.000Z" };

const PRICE = {
  id: "019c18c0-0000-7000-8000-000000000001",
  kind: "price.set",
  proposer: "amal",
  ...TIMES,
  content: [
    '{"source": "fixed", "mid": "5020000", "url": null, "spread_basis_points": 60, "stale_after_seconds": 10}',
    '{"mid":"5020000","source":"fixed","spread_basis_points":60,"stale_after_seconds":10,"url":null}',
  ],
  approver: "badr",
} as const;

const CASES: readonly Case[] = [
  { name: "a price", deployment: PRODUCTION, ...PRICE },
  { name: "the same price in a sandbox, which gives another text", deployment: SANDBOX, ...PRICE },
  { name: "the same price in version 1, which names no deployment", deployment: null, ...PRICE },
  {
    name: "characters beyond ASCII",
    deployment: PRODUCTION,
    id: "019c18c0-0000-7000-8000-000000000002",
    kind: "partner.set",
    proposer: "badr@example.com",
    ...TIMES,
    content: [
      String.raw`{"name": "\u0628\u0646\u0643 \"Najd\" S\u00e0rl", "client_id": "live_0123456789abcdef0123"}`,
      String.raw`{"client_id":"live_0123456789abcdef0123","name":"بنك \"Najd\" Sàrl"}`,
    ],
    approver: "carla",
  },
  {
    name: "an empty content",
    deployment: PRODUCTION,
    id: "019c18c0-0000-7000-8000-000000000003",
    kind: "market.open",
    proposer: "carla",
    ...TIMES,
    content: ["{}", "{}"],
    approver: "amal",
  },
];

const lines = (parts: readonly string[]): string => parts.map((part) => `${part}\n`).join("");

function vectorOf({ content: [json, canonical], ...given }: Case): Record<string, unknown> {
  const { deployment, id, kind, proposer, proposed_at, expires_at, approver } = given;
  const begin = (name: string) => deployment === null ? [`${name} 1`] : [`${name} 2`, deployment];
  const text = lines([...begin("gold proposal"), id, kind, proposer, proposed_at, expires_at, canonical]);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return {
    ...given,
    content: json,
    proposal_text: text,
    sha256,
    approval_text: lines([...begin("gold approval"), id, sha256, approver]),
  };
}

export default (): VectorFile => ({
  description:
    "The texts that operators sign. The proposer signs `proposal_text` for the namespace gold-proposal, and the approver signs `approval_text`, which contains the `sha256` of the proposal's text, for the namespace gold-approval. `content` is JSON in any spelling. A null `deployment` gives the texts of version 1, up to release 0.5.0.",
  origin: "The canonical content is written by hand. The generator joins the lines, and Node hashes them.",
  cases: CASES.map(vectorOf),
});
