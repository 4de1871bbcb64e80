// Written by npm run docs from the registry that the service uses: see docs/errors.md. Do not edit.
using System.Collections.Generic;

namespace GoldPartner {
  /// <summary>What a refusal says about a write.</summary>
  internal static class Problems {
    /// <summary>
    /// BindsKey: whether every later request with the Idempotency-Key gets this refusal again: true, false, or
    /// order_quote_id for an order alone. SpendsNonce: whether a signed request's nonce is spent: true, false or
    /// unknown.
    /// </summary>
    public static readonly Dictionary<string, (string BindsKey, string SpendsNonce)> Rules =
      new Dictionary<string, (string BindsKey, string SpendsNonce)> {
        ["invalid_request"] = ("false", "false"),
        ["idempotency_key_missing"] = ("false", "false"),
        ["idempotency_key_invalid"] = ("false", "false"),
        ["timestamp_invalid"] = ("false", "false"),
        ["nonce_invalid"] = ("false", "false"),
        ["path_not_allowed"] = ("false", "false"),
        ["not_found"] = ("order_quote_id", "order_quote_id"),
        ["method_not_allowed"] = ("false", "false"),
        ["request_timeout"] = ("false", "false"),
        ["body_too_large"] = ("false", "false"),
        ["uri_too_long"] = ("false", "false"),
        ["unsupported_media_type"] = ("false", "false"),
        ["header_too_large"] = ("false", "false"),
        ["token_missing"] = ("false", "false"),
        ["token_invalid"] = ("false", "false"),
        ["token_expired"] = ("false", "false"),
        ["token_certificate_mismatch"] = ("false", "false"),
        ["signature_missing"] = ("false", "false"),
        ["signature_invalid"] = ("false", "false"),
        ["timestamp_out_of_window"] = ("false", "false"),
        ["certificate_unknown"] = ("false", "false"),
        ["certificate_revoked"] = ("false", "false"),
        ["certificate_expired"] = ("false", "false"),
        ["ip_not_allowed"] = ("false", "false"),
        ["partner_suspended"] = ("false", "false"),
        ["nonce_reused"] = ("false", "true"),
        ["idempotency_key_conflict"] = ("false", "true"),
        ["idempotency_request_in_progress"] = ("false", "false"),
        ["quote_already_executed"] = ("true", "true"),
        ["withdrawal_reference_reused"] = ("true", "true"),
        ["withdrawal_not_pending"] = ("true", "true"),
        ["withdrawal_outcome_unreachable"] = ("false", "false"),
        ["open_changes_exceeded"] = ("false", "false"),
        ["quote_expired"] = ("true", "true"),
        ["insufficient_funds"] = ("true", "true"),
        ["insufficient_gold"] = ("true", "true"),
        ["insufficient_inventory"] = ("true", "true"),
        ["limit_exceeded"] = ("true", "true"),
        ["withdrawal_limit_exceeded"] = ("true", "true"),
        ["exposure_exceeded"] = ("false", "false"),
        ["market_closed"] = ("false", "false"),
        ["rate_limited"] = ("false", "false"),
        ["open_quotes_exceeded"] = ("false", "false"),
        ["daily_budget_exceeded"] = ("false", "false"),
        ["net_position_exceeded"] = ("false", "false"),
        ["internal_error"] = ("false", "false"),
        ["price_unavailable"] = ("false", "false"),
        ["service_unavailable"] = ("false", "false"),
        ["upstream_unavailable"] = ("false", "unknown"),
        ["upstream_timeout"] = ("false", "unknown"),
      };
  }
}
