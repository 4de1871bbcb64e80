package gold.partner;

import com.fasterxml.jackson.annotation.JsonAlias;
import gold.partner.Transport.Reply;
import java.io.IOException;
import java.io.Serializable;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Why a try failed, and what the client does next. The status is 0 if no reply arrived. */
record Failure(String code, String detail, int status, Cure cure, Outcome outcome, boolean retryable,
    Duration retryAfter, String requestId, boolean replayed, Problem problem, Throwable cause) implements Serializable {
  /** What helps. TOKEN: one retry with a new token. WAIT: a retry after a pause. */
  enum Cure { NONE, WAIT, TOKEN }

  /**
   * What the failure says about a write. KNOWN: the outcome is certain. UNKNOWN: this try may have executed the
   * write. UNCHANGED: the failure says nothing, so a doubt from an earlier try remains.
   */
  enum Outcome { KNOWN, UNCHANGED, UNKNOWN }

  /** The members of a problem, or of an error of the token endpoint. All may be null. */
  record Problem(String code, String title, @JsonAlias("error_description") String detail, String requestId,
      Boolean retryable, List<Api.FieldError> errors) implements Serializable {
    static final Problem NONE = new Problem(null, null, null, null, null, null);
  }

  private static final Set<String> TOKEN_CODES = Set.of("token_expired", "token_invalid", "token_certificate_mismatch");
  /** market_closed (422) is retryable, too, but a call must not wait for hours until the market opens. */
  private static final Set<Integer> TRANSIENT_STATUSES = Set.of(408, 429, 500, 502, 503, 504);
  /** After these codes, an earlier copy of the request may be running or may have been executed. */
  private static final Set<String> DOUBTFUL_CODES = Set.of("nonce_reused", "idempotency_request_in_progress");
  /** The alerts with which the service's side refuses a client certificate. */
  private static final Pattern CERTIFICATE_ALERT = Pattern.compile("alert: (.*cert|unknown_ca|access|decrypt_error)");

  /** Returns the failure of a reply whose status is not 2xx. */
  static Failure refusal(Reply reply, String operation, long clockOffsetSeconds) {
    Problem problem = readProblem(reply.body());
    String code = Objects.requireNonNullElse(problem.code(), "reply_invalid");
    boolean renews = TOKEN_CODES.contains(code);
    boolean waits = TRANSIENT_STATUSES.contains(reply.status()) || DOUBTFUL_CODES.contains(code);
    boolean retryable = Objects.requireNonNullElse(problem.retryable(), waits || renews);
    Cure cure = renews ? Cure.TOKEN : retryable && waits ? Cure.WAIT : Cure.NONE;
    String detail = code.equals("timestamp_out_of_window") && clockOffsetSeconds != 0
        ? wrongClock(clockOffsetSeconds)
        : Objects.requireNonNullElse(problem.detail(), "The reply was " + reply.status() + (problem != Problem.NONE
            ? " " + code + "." : ", but not in the service's format: a proxy or firewall may have answered instead."));
    Outcome outcome = problem == Problem.NONE ? Outcome.UNKNOWN : outcome(code, reply.status(), operation);
    return of(reply, code, detail, cure, outcome, retryable, problem, null);
  }

  /** Whether a stream waits and tries again. It waits longer than a call, and also at every 5xx. */
  boolean isTemporary() {
    return status == 0 ? retryable : status >= 500 || TRANSIENT_STATUSES.contains(status);
  }

  /** Returns the failure of a reply that does not have the documented form. */
  static Failure invalidReply(Reply reply, Call call, IOException cause) {
    String reason = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    String detail = "The reply to " + call.operation() + " does not have the documented form: " + reason + ".";
    return of(reply, "reply_invalid", detail, Cure.NONE, Outcome.UNKNOWN, call.isWrite(), Problem.NONE, cause);
  }

  /** Returns the failure of a try for which the transport got no reply. */
  static Failure broken(IOException error) {
    String reason = Objects.requireNonNullElse(error.getMessage(), error.getClass().getSimpleName());
    for (Throwable each = error; each != null; each = each.getCause()) {
      boolean isAlert = each instanceof SSLException && CERTIFICATE_ALERT.matcher("" + each.getMessage()).find();
      if (isAlert || each instanceof CertificateException) {
        return connection("tls_failed", "TLS failed because a certificate was not accepted (" + reason
            + "). Check that cert, key and ca belong together.", Cure.NONE, Outcome.UNCHANGED, error);
      }
      if (each instanceof ConnectException || each instanceof HttpConnectTimeoutException) {
        return connection("connection_failed", "The service could not be reached: " + reason + ".", Cure.WAIT,
            Outcome.UNCHANGED, error);
      }
    }
    if (error instanceof HttpTimeoutException) {
      return connection("timed_out", "No reply came in time: " + reason + ".", Cure.WAIT, Outcome.UNKNOWN, error);
    }
    return connection("connection_failed", "The connection broke before the complete reply arrived: " + reason + ".",
        Cure.WAIT, Outcome.UNKNOWN, error);
  }

  /** Returns the same failure, for a call that did not send anything because of it. */
  Failure withoutCure() {
    return new Failure(code, detail, status, Cure.NONE, Outcome.UNCHANGED, retryable, retryAfter, requestId, replayed,
        problem, cause);
  }

  /** Returns a failure without a reply. */
  static Failure connection(String code, String detail, Cure cure, Outcome outcome, Throwable cause) {
    boolean retryable = cure == Cure.WAIT || code.equals("timed_out");
    return new Failure(code, detail, 0, cure, outcome, retryable, null, null, false, Problem.NONE, cause);
  }

  private static Failure of(Reply reply, String code, String detail, Cure cure, Outcome outcome, boolean retryable,
      Problem problem, Throwable cause) {
    String requestId = problem.requestId() == null ? reply.header("X-Request-Id") : problem.requestId();
    boolean replayed = "true".equals(reply.header("Idempotent-Replayed"));
    return new Failure(code, detail, reply.status(), cure, outcome, retryable, reply.retryAfter(), requestId, replayed,
        problem, cause);
  }

  private static Problem readProblem(byte[] body) {
    try {
      Problem problem = Json.read(body, Problem.class);
      return problem.code() == null || problem.requestId() == null ? Problem.NONE : problem;
    } catch (IOException cause) {
      return Problem.NONE;
    }
  }

  private static Outcome outcome(String code, int status, String operation) {
    if (DOUBTFUL_CODES.contains(code)) return Outcome.UNKNOWN;
    Problems.Rule rule = Problems.RULES.get(code);
    if (rule == null) return status >= 500 ? Outcome.UNKNOWN : Outcome.UNCHANGED;
    boolean isOrder = operation.equals("createOrder");
    if (rule.bindsKey().equals("true") || (rule.bindsKey().equals("order_quote_id") && isOrder)) return Outcome.KNOWN;
    // The service spends the nonce first and then looks up the Idempotency-Key. So a refusal that spends the nonce
    // comes after the lookup. If an earlier try had stored a result, the reply would be that result.
    return switch (rule.spendsNonce()) {
      case "unknown" -> Outcome.UNKNOWN;
      case "true" -> Outcome.KNOWN;
      default -> Outcome.UNCHANGED;
    };
  }

  /** The client does not correct its timestamps: the other records of this machine would still be wrong. */
  private static String wrongClock(long aheadSeconds) {
    return "This machine's clock is " + Math.abs(aheadSeconds) + " s " + (aheadSeconds > 0 ? "ahead of" : "behind")
        + " the service's, and signed requests are accepted within 300 s. Set the clock (NTP), then repeat the call.";
  }
}
