import { BODY_MAX_BYTES, type TokenProblemCode } from "@gold-partner/protocol";
import { order, spoilt, type Way, WITHDRAWAL, withdrawal } from "./way_fixture.ts";

const header = (name: string, value: string | null): Way => spoilt({ headers: { [name]: value } });

/** Refusals because of the form of the request. */
export const FORM_WAYS = {
  invalid_request: spoilt({ body: { amount_sar: 1, colour: "red" } }),
  idempotency_key_missing: header("Idempotency-Key", null),
  idempotency_key_invalid: header("Idempotency-Key", "two words"),
  timestamp_invalid: header("X-Timestamp", `${Date.now()}`),
  nonce_invalid: header("X-Nonce", "too short"),
  path_not_allowed: spoilt({ target: "/v1/./withdrawals" }),
  not_found: order(async ({ partner }) => {
    return { caller: partner, call: { body: { quote_id: "qt_019c1364-3420-7bbf-8392-5a8225f16878" } } };
  }),
  method_not_allowed: spoilt({ method: "DELETE" }),
  request_timeout: withdrawal(async ({ partner, proxyWithShortTimeouts }) => {
    return {
      caller: partner,
      call: WITHDRAWAL,
      from: partner.through(proxyWithShortTimeouts),
      fault: { stalls: true },
    };
  }),
  body_too_large: spoilt({ body: `{"amount_sar":1}${" ".repeat(BODY_MAX_BYTES)}` }),
  uri_too_long: spoilt({ target: `/v1/withdrawals?${"x".repeat(9000)}` }),
  unsupported_media_type: header("Content-Type", "text/plain"),
  header_too_large: header("X-Baggage", "x".repeat(17_000)),
} as const satisfies Partial<Record<TokenProblemCode, Way>>;
