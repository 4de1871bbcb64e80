// Written by npm run docs from the registry that the service uses: see docs/errors.md. Do not edit.
package gold.partner;

import java.util.Map;

/** What a refusal says about a write. */
final class Problems {
  /**
   * The facts of a code.
   *
   * @param bindsKey whether every later request with the Idempotency-Key gets this refusal again: true, false, or
   *     order_quote_id for an order alone
   * @param spendsNonce whether a signed request's nonce is spent: true, false or unknown
   */
  record Rule(String bindsKey, String spendsNonce) {}

  static final Map<String, Rule> RULES = Map.ofEntries(
      Map.entry("invalid_request", new Rule("false", "false")),
      Map.entry("idempotency_key_missing", new Rule("false", "false")),
      Map.entry("idempotency_key_invalid", new Rule("false", "false")),
      Map.entry("timestamp_invalid", new Rule("false", "false")),
      Map.entry("nonce_invalid", new Rule("false", "false")),
      Map.entry("path_not_allowed", new Rule("false", "false")),
      Map.entry("not_found", new Rule("order_quote_id", "order_quote_id")),
      Map.entry("method_not_allowed", new Rule("false", "false")),
      Map.entry("request_timeout", new Rule("false", "false")),
      Map.entry("body_too_large", new Rule("false", "false")),
      Map.entry("uri_too_long", new Rule("false", "false")),
      Map.entry("unsupported_media_type", new Rule("false", "false")),
      Map.entry("header_too_large", new Rule("false", "false")),
      Map.entry("token_missing", new Rule("false", "false")),
      Map.entry("token_invalid", new Rule("false", "false")),
      Map.entry("token_expired", new Rule("false", "false")),
      Map.entry("token_certificate_mismatch", new Rule("false", "false")),
      Map.entry("signature_missing", new Rule("false", "false")),
      Map.entry("signature_invalid", new Rule("false", "false")),
      Map.entry("timestamp_out_of_window", new Rule("false", "false")),
      Map.entry("certificate_unknown", new Rule("false", "false")),
      Map.entry("certificate_revoked", new Rule("false", "false")),
      Map.entry("certificate_expired", new Rule("false", "false")),
      Map.entry("ip_not_allowed", new Rule("false", "false")),
      Map.entry("partner_suspended", new Rule("false", "false")),
      Map.entry("nonce_reused", new Rule("false", "true")),
      Map.entry("idempotency_key_conflict", new Rule("false", "true")),
      Map.entry("idempotency_request_in_progress", new Rule("false", "false")),
      Map.entry("quote_already_executed", new Rule("true", "true")),
      Map.entry("withdrawal_reference_reused", new Rule("true", "true")),
      Map.entry("withdrawal_not_pending", new Rule("true", "true")),
      Map.entry("withdrawal_outcome_unreachable", new Rule("false", "false")),
      Map.entry("open_changes_exceeded", new Rule("false", "false")),
      Map.entry("quote_expired", new Rule("true", "true")),
      Map.entry("insufficient_funds", new Rule("true", "true")),
      Map.entry("insufficient_gold", new Rule("true", "true")),
      Map.entry("insufficient_inventory", new Rule("true", "true")),
      Map.entry("limit_exceeded", new Rule("true", "true")),
      Map.entry("withdrawal_limit_exceeded", new Rule("true", "true")),
      Map.entry("exposure_exceeded", new Rule("false", "false")),
      Map.entry("market_closed", new Rule("false", "false")),
      Map.entry("rate_limited", new Rule("false", "false")),
      Map.entry("open_quotes_exceeded", new Rule("false", "false")),
      Map.entry("daily_budget_exceeded", new Rule("false", "false")),
      Map.entry("net_position_exceeded", new Rule("false", "false")),
      Map.entry("internal_error", new Rule("false", "false")),
      Map.entry("price_unavailable", new Rule("false", "false")),
      Map.entry("service_unavailable", new Rule("false", "false")),
      Map.entry("upstream_unavailable", new Rule("false", "unknown")),
      Map.entry("upstream_timeout", new Rule("false", "unknown")));

  private Problems() {}
}
