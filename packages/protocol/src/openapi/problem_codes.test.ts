import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { TOKEN_PROBLEM_REGISTRY } from "../problem_registry.ts";
import { ENDPOINTS, type OperationId } from "./endpoints.ts";
import { problemCodesOf } from "./problem_codes.ts";

const codesOf = (operation: OperationId) => problemCodesOf(ENDPOINTS[operation]).sort();
const listed = (...codes: string[]) => [...new Set(codes.join(" ").split(" "))].sort();

const ALWAYS =
  "path_not_allowed invalid_request certificate_unknown certificate_revoked certificate_expired " +
  "ip_not_allowed method_not_allowed request_timeout body_too_large uri_too_long header_too_large rate_limited " +
  "internal_error service_unavailable upstream_unavailable upstream_timeout";
const TOKEN = "token_missing token_invalid token_expired token_certificate_mismatch partner_suspended";
const SIGNED =
  "timestamp_invalid nonce_invalid signature_missing signature_invalid timestamp_out_of_window nonce_reused " +
  "daily_budget_exceeded";
const KEY =
  "idempotency_key_missing idempotency_key_invalid idempotency_key_conflict idempotency_request_in_progress " +
  "daily_budget_exceeded";

describe("problemCodesOf()", () => {
  it("lists every code of the registry for at least one operation", () => {
    const used = new Set(Object.values(ENDPOINTS).flatMap(problemCodesOf));
    assertEquals([...used].sort(), Object.keys(TOKEN_PROBLEM_REGISTRY).sort());
  });

  it("lists for an order exactly the codes that its pipeline can return", () => {
    const own = "unsupported_media_type not_found quote_already_executed quote_expired insufficient_funds " +
      "insufficient_gold insufficient_inventory";
    assertEquals(codesOf("createOrder"), listed(ALWAYS, TOKEN, SIGNED, KEY, own));
  });

  it("lists no token, key or signature codes for an operation that needs only a certificate", () => {
    for (
      const operation of [
        "getHealth",
        "getTokenKeys",
        "getAuthorizationServer",
        "getOpenApi",
        "getReference",
        "getErrorCatalogue",
      ] as const
    ) {
      assertEquals(codesOf(operation), listed(ALWAYS), operation);
    }
  });

  it("lists the codes of every other kind of operation", () => {
    const expected: Partial<Record<OperationId, string[]>> = {
      issueToken: [ALWAYS, "unsupported_media_type invalid_client unsupported_grant_type partner_suspended"],
      getPrices: [ALWAYS, TOKEN, "price_unavailable"],
      createQuote: [
        ALWAYS,
        TOKEN,
        KEY,
        "unsupported_media_type limit_exceeded market_closed open_quotes_exceeded net_position_exceeded " +
        "exposure_exceeded price_unavailable",
      ],
      getQuote: [ALWAYS, TOKEN, "not_found"],
      listOrders: [ALWAYS, TOKEN],
      createWithdrawal: [
        ...[ALWAYS, TOKEN, SIGNED, KEY],
        "unsupported_media_type insufficient_funds limit_exceeded withdrawal_limit_exceeded " +
        "withdrawal_reference_reused",
      ],
      cancelWithdrawal: [
        ALWAYS,
        TOKEN,
        SIGNED,
        KEY,
        "unsupported_media_type not_found withdrawal_not_pending",
      ],
      requestChange: [ALWAYS, TOKEN, SIGNED, KEY, "unsupported_media_type open_changes_exceeded"],
      redeliverEvent: [ALWAYS, TOKEN, KEY, "unsupported_media_type not_found"],
      testWebhook: [ALWAYS, TOKEN, KEY, "unsupported_media_type"],
      // Leave out the problems of a media type and of an Idempotency-Key. The probe takes a body of any media
      // type and no key.
      probeSignature: [ALWAYS, TOKEN, SIGNED],
      // Leave out token_missing. fundSandbox needs no token.
      fundSandbox: [
        ALWAYS,
        TOKEN.replace("token_missing ", ""),
        KEY,
        "unsupported_media_type limit_exceeded",
      ],
    };
    for (const [operation, codes] of Object.entries(expected)) {
      assertEquals(codesOf(operation as OperationId), listed(...codes), operation);
    }
  });
});
