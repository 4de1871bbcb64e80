import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ProblemEntry } from "./problem/entry.ts";
import {
  bindsKey,
  isProblemCode,
  oauthError,
  PROBLEM_REGISTRY,
  TOKEN_PROBLEM_REGISTRY,
  type TokenProblemCode,
} from "./problem_registry.ts";

/** The codes by status, as the contract lists them. */
const STATUSES: Record<number, string> = {
  400:
    "invalid_request idempotency_key_missing idempotency_key_invalid timestamp_invalid nonce_invalid path_not_allowed",
  401:
    "token_missing token_invalid token_expired token_certificate_mismatch signature_missing signature_invalid " +
    "timestamp_out_of_window",
  403: "certificate_unknown certificate_revoked certificate_expired ip_not_allowed partner_suspended",
  404: "not_found",
  405: "method_not_allowed",
  408: "request_timeout",
  409: "idempotency_key_conflict idempotency_request_in_progress nonce_reused quote_already_executed " +
    "withdrawal_reference_reused withdrawal_not_pending withdrawal_outcome_unreachable " +
    "open_changes_exceeded",
  413: "body_too_large",
  414: "uri_too_long",
  415: "unsupported_media_type",
  422: "quote_expired insufficient_funds insufficient_gold insufficient_inventory limit_exceeded " +
    "withdrawal_limit_exceeded exposure_exceeded market_closed",
  429: "rate_limited open_quotes_exceeded daily_budget_exceeded net_position_exceeded",
  431: "header_too_large",
  500: "internal_error",
  503: "price_unavailable service_unavailable upstream_unavailable",
  504: "upstream_timeout",
};
const BINDING =
  "quote_already_executed withdrawal_reference_reused withdrawal_not_pending quote_expired insufficient_funds insufficient_gold " +
  "insufficient_inventory limit_exceeded withdrawal_limit_exceeded";
const SPENDING = `${BINDING} nonce_reused idempotency_key_conflict`;
const RETRYABLE =
  "token_expired request_timeout nonce_reused idempotency_request_in_progress market_closed rate_limited " +
  "open_quotes_exceeded daily_budget_exceeded net_position_exceeded exposure_exceeded " +
  "internal_error price_unavailable service_unavailable upstream_unavailable upstream_timeout";

const sorted = (codes: string): string[] => codes.split(" ").sort();
const entries = Object.entries(PROBLEM_REGISTRY);
const codesOf = (holds: (entry: ProblemEntry) => boolean): string[] =>
  entries.filter(([, entry]) => holds(entry)).map(([code]) => code).sort();

describe("the problem registry", () => {
  it("has every code of the contract once, with its status", () => {
    for (const [status, codes] of Object.entries(STATUSES)) {
      assertEquals(codesOf((entry) => `${entry.status}` === status), sorted(codes), status);
    }
    assertEquals(entries.length, Object.values(STATUSES).flatMap(sorted).length);
  });

  it("lists the problems that bind the key", () => {
    assertEquals(codesOf((entry) => entry.binds_key === true), sorted(BINDING));
    assertEquals(codesOf((entry) => entry.binds_key === "order_quote_id"), ["not_found"]);
  });

  it("lists the problems that spend the nonce", () => {
    assertEquals(codesOf((entry) => entry.spends_nonce === true), sorted(SPENDING));
    assertEquals(codesOf((entry) => entry.spends_nonce === "order_quote_id"), ["not_found"]);
    assertEquals(codesOf((entry) => entry.spends_nonce === "unknown"), [
      "upstream_timeout",
      "upstream_unavailable",
    ]);
  });

  it("lists the retryable problems, which include every 5xx problem and no binding problem", () => {
    assertEquals(codesOf((entry) => entry.retryable), sorted(RETRYABLE));
    assertEquals(codesOf((entry) => entry.retryable && entry.binds_key !== false), []);
    assertEquals(codesOf((entry) => entry.status >= 500 && !entry.retryable), []);
  });

  it("has a unique title, cause and cure in complete sentences for each problem", () => {
    const all = Object.entries(TOKEN_PROBLEM_REGISTRY);
    for (const column of ["title", "cause", "cure"] as const) {
      assertEquals(new Set(all.map(([, entry]) => entry[column])).size, all.length, column);
    }
    for (const [code, { title, cause, cure }] of all) {
      assertMatch(title, /^[A-Z].{9,60}[^.]$/, code);
      for (const sentence of [cause, cure]) assertMatch(sentence, /^[A-Z].{25,300}\.$/, code);
      // Allow no quotation mark and no backslash. error_description must not contain them (RFC 6749, section
      // 5.2).
      assertMatch(cause, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, code);
    }
  });

  it("tells the client to use a new key after every binding refusal", () => {
    for (const [code, { binds_key, cure }] of entries) {
      if (binds_key !== false) assert(/new Idempotency-Key/.test(cure), code);
    }
  });
});

describe("bindsKey()", () => {
  it("binds the key for a 404 of an order's quote_id, and for no other 404", () => {
    assertEquals(bindsKey("not_found", "order_quote_id"), true);
    assertEquals(bindsKey("not_found", "other"), false);
    for (const refused of ["order_quote_id", "other"] as const) {
      assertEquals(bindsKey("quote_expired", refused), true);
      assertEquals(bindsKey("market_closed", refused), false);
    }
  });
});

describe("isProblemCode()", () => {
  it("accepts the codes, but no inherited property names", () => {
    assertEquals(isProblemCode("nonce_reused"), true);
    for (const text of ["", "toString", "__proto__", "invalid_client", "NONCE_REUSED"]) {
      assertEquals(isProblemCode(text), false, text);
    }
  });
});

describe("oauthError()", () => {
  it("maps each problem to OAuth's error by its status, except unsupported_grant_type", () => {
    const named: Record<string, readonly TokenProblemCode[]> = {
      invalid_client: ["invalid_client", "token_missing"],
      invalid_request: [
        "invalid_request",
        "not_found",
        "method_not_allowed",
        "body_too_large",
        "unsupported_media_type",
      ],
      unsupported_grant_type: ["unsupported_grant_type"],
      access_denied: ["certificate_unknown", "ip_not_allowed", "partner_suspended"],
      temporarily_unavailable: [
        "rate_limited",
        "service_unavailable",
        "upstream_unavailable",
        "upstream_timeout",
      ],
      server_error: ["internal_error"],
    };
    for (const [error, codes] of Object.entries(named)) {
      for (const code of codes) assertEquals(oauthError(code), error as ReturnType<typeof oauthError>, code);
    }
  });
});
