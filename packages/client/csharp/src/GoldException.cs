using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text.RegularExpressions;

namespace GoldPartner {
  /// <summary>
  /// The only exception that the calls of <see cref="GoldClient"/> throw. Decide by <see cref="Code"/>: a code of the
  /// error catalogue (docs/errors.md), or one of the client's own. Nothing was sent: configuration_invalid (settings or
  /// credentials), argument_invalid (or the client is disposed), signing_failed (the key or the signer). No complete
  /// reply: connection_failed, tls_failed (one side does not accept the other's certificate), timed_out, aborted (you
  /// cancelled the call). reply_invalid: the reply does not have the documented form.
  /// </summary>
  public sealed class GoldException : Exception {
    private readonly string reason;
    private int tries = 1;

    internal GoldException(string code, string reason, Cure cure, Outcome outcome, Exception? cause = null)
      : base(null, cause) => (Code, this.reason, Cure, Outcome) = (code, reason, cure, outcome);

    /// <summary>Why the call failed.</summary>
    public string Code { get; }
    /// <summary>The status of the HTTP reply. 0: no reply arrived.</summary>
    public int Status { get; internal set; }
    /// <summary>The code in words. Null if the service sent none.</summary>
    public string? Title { get; internal set; }
    /// <summary>What happened and what to do.</summary>
    public string Detail => reason + (tries > 1 ? $" (Tried {tries} times.)" : "")
      + (RetryAfter is TimeSpan pause ? $" Call again in {(long)pause.TotalSeconds} s." : "");
    /// <summary>Identifies the reply to the operator of the service. Null if there is none.</summary>
    public string? RequestId { get; internal set; }
    /// <summary>True if the same call with the same Idempotency-Key may succeed later.</summary>
    public bool Retryable { get; internal set; }
    /// <summary>The members, parameters or headers that the service refused.</summary>
    public IReadOnlyList<FieldError> Errors { get; internal set; } = Array.Empty<FieldError>();
    /// <summary>True if the service repeated a reply that it had given to this Idempotency-Key before.</summary>
    public bool Replayed { get; internal set; }
    /// <summary>How long the service asks to wait. Null if it does not say.</summary>
    public TimeSpan? RetryAfter { get; internal set; }
    /// <summary>A write that is repeated with its Idempotency-Key is executed at most once. Null at a read.</summary>
    public string? IdempotencyKey { get; private set; }
    /// <summary>True if the write may have been executed. Repeat it with IdempotencyKey to get its result.</summary>
    public bool OutcomeUnknown { get; private set; }
    /// <summary>Code, Detail, RequestId, and what to do if the outcome is unknown.</summary>
    public override string Message => $"{Code}: {Detail}{(RequestId == null ? "" : $" ({RequestId})")}"
      + (OutcomeUnknown ? " It is not known whether the write was executed; repeat it with the same idempotency key,"
        + $" {IdempotencyKey}, to get its result." : "");

    internal Cure Cure { get; set; }
    internal Outcome Outcome { get; set; }

    internal GoldException Of(Call call, int tries, bool inDoubt) {
      (this.tries, IdempotencyKey, OutcomeUnknown) = (tries, call.IdempotencyKey, inDoubt && call.IsWrite);
      return this;
    }
  }

  /// <summary>What helps. Token: one retry with a new token. Wait: a retry after a pause.</summary>
  internal enum Cure { None, Wait, Token }

  /// <summary>
  /// What a failure says about a write. Known: the outcome is certain. Unknown: this try may have executed the write.
  /// Unchanged: the failure says nothing, so a doubt from an earlier try remains.
  /// </summary>
  internal enum Outcome { Known, Unchanged, Unknown }

  /// <summary>Decides why a try failed, and what the client does next.</summary>
  internal static class Failure {
    private const int ClockWindowSeconds = 300;
    /// <summary>
    /// The client retries after these statuses. market_closed (422) is retryable, too, but a call must not wait for
    /// hours until the market opens.
    /// </summary>
    private static readonly int[] TransientStatuses = { 408, 429, 500, 502, 503, 504 };
    private static readonly string[] TokenCodes = { "token_expired", "token_invalid", "token_certificate_mismatch" };
    /// <summary>After these codes, an earlier copy of the request may be running or may have been executed.</summary>
    private static readonly string[] DoubtfulCodes = { "nonce_reused", "idempotency_request_in_progress" };
    /// <summary>The alerts with which the service's side refuses a client certificate.</summary>
    private static readonly Regex CertificateAlert = new Regex("alert.*(certificate|unknown ca|access denied)");

    /// <summary>Reads the failure from a reply whose status is not 2xx.</summary>
    public static GoldException Refusal(Reply reply, string operation, long? clockOffsetSeconds) {
      GoldException failure;
      try {
        failure = Json.Read(reply.Body, json => Refusal(json, reply.Status, operation, clockOffsetSeconds));
      } catch (FormatException) {
        var isTransient = TransientStatuses.Contains(reply.Status);
        failure = new GoldException("reply_invalid", $"The reply was {reply.Status}, but not in the service's format: a"
          + " proxy or firewall may have answered instead.", isTransient ? Cure.Wait : Cure.None, Outcome.Unknown) {
          Retryable = isTransient, RequestId = reply.Header("X-Request-Id"),
        };
      }
      failure.Replayed = reply.Header("Idempotent-Replayed") == "true";
      (failure.Status, failure.RetryAfter) = (reply.Status, reply.RetryAfter);
      return failure;
    }

    /// <summary>Reads a problem, or an error of the token endpoint.</summary>
    private static GoldException Refusal(Json problem, int status, string operation, long? clockOffsetSeconds) {
      var (code, requestId) = (problem.Get("code", Json.Text), problem.Get("request_id", Json.Text));
      var waits = TransientStatuses.Contains(status) || DoubtfulCodes.Contains(code);
      var renews = TokenCodes.Contains(code);
      var retryable = problem.FindValue("retryable", Json.Flag) ?? (waits || renews);
      var cure = renews ? Cure.Token : retryable && waits ? Cure.Wait : Cure.None;
      var said = problem.Find("detail", Json.Text) ?? problem.Find("error_description", Json.Text);
      var reason = code == "timestamp_out_of_window" && clockOffsetSeconds is long ahead && ahead != 0
        ? WrongClock(ahead)
        : said ?? $"The service refused with {status} {code}.";
      return new GoldException(code, reason, cure, OutcomeOf(code, status, operation)) {
        Title = problem.Find("title", Json.Text), RequestId = requestId, Retryable = retryable,
        Errors = problem.Find("errors", Json.List(Json.Object(json => new FieldError(json)))) ?? new FieldError[0],
      };
    }

    /// <summary>
    /// Whether a stream waits and tries again. It waits longer than a call, and also at every 5xx.
    /// </summary>
    public static bool IsTemporary(GoldException failure) => failure.Status == 0
      ? failure.Retryable
      : failure.Status >= 500 || TransientStatuses.Contains(failure.Status);

    /// <summary>The failure of a reply that does not have the documented form.</summary>
    public static GoldException InvalidReply(Reply reply, Call call, Exception cause) =>
      new GoldException("reply_invalid", $"The reply to {call.Operation} does not have the documented form:"
        + $" {cause.Message.TrimEnd('.')}.", Cure.None, Outcome.Unknown, cause) {
        Status = reply.Status, Retryable = call.IsWrite, RequestId = reply.Header("X-Request-Id"),
      }.Of(call, 1, true);

    /// <summary>The failure of a try whose connection ended before the complete reply.</summary>
    public static GoldException Lost(Exception error) {
      for (var each = error; each != null; each = each.InnerException!) {
        var isRefusedHere = each is AuthenticationException && each.InnerException == null;
        if (!isRefusedHere && !CertificateAlert.IsMatch(each.Message)) continue;
        return Unsent("tls_failed", $"TLS failed because a certificate was not accepted ({each.Message}). Check that"
          + " cert, key and ca belong to this environment.", error);
      }
      var reason = (error.InnerException ?? error).Message.TrimEnd('.');
      // Without a connection, the handler throws HttpRequestException. A reset within the body is an IOException.
      return error is System.Net.Http.HttpRequestException && error.InnerException is SocketException
        ? Passing("connection_failed", $"The service could not be reached: {reason}.", Outcome.Unchanged, error)
        : Passing("connection_failed", $"The connection broke before the complete reply arrived: {reason}.",
          Outcome.Unknown, error);
    }

    public static GoldException TimedOut(TimeSpan limit, Exception cause) => Passing("timed_out",
      $"No reply came in time: nothing within {(long)limit.TotalMilliseconds} ms.", Outcome.Unknown, cause);

    public static GoldException Aborted(Outcome outcome) =>
      new GoldException("aborted", "The call was cancelled.", Cure.None, outcome);

    /// <summary>The failure of a try that ended before anything was sent.</summary>
    public static GoldException Unsent(string code, string reason, Exception? cause = null) =>
      new GoldException(code, reason, Cure.None, Outcome.Unchanged, cause) { Retryable = code == "timed_out" };

    private static GoldException Passing(string code, string reason, Outcome outcome, Exception cause) =>
      new GoldException(code, reason, Cure.Wait, outcome, cause) { Retryable = true };

    private static Outcome OutcomeOf(string code, int status, string operation) {
      if (DoubtfulCodes.Contains(code)) return Outcome.Unknown;
      if (!Problems.Rules.TryGetValue(code, out var rule)) return status >= 500 ? Outcome.Unknown : Outcome.Unchanged;
      var isOrder = operation == "createOrder";
      if (rule.BindsKey == "true" || (rule.BindsKey == "order_quote_id" && isOrder)) return Outcome.Known;
      // The service spends the nonce first and then looks up the Idempotency-Key. So a refusal that spends the nonce
      // comes after the lookup. If an earlier try had stored a result, the reply would be that result.
      return rule.SpendsNonce == "unknown" ? Outcome.Unknown
        : rule.SpendsNonce == "true" ? Outcome.Known : Outcome.Unchanged;
    }

    /// <summary>The client does not correct its timestamps: the machine's other records would still be wrong.</summary>
    private static string WrongClock(long ahead) =>
      $"This machine's clock is {Math.Abs(ahead)} s {(ahead > 0 ? "ahead of" : "behind")} the service's, and signed"
      + $" requests are accepted within {ClockWindowSeconds} s. Set the clock (NTP), then repeat the call.";
  }
}
