package gold.partner;

import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Why a try failed, and what the client does next.
 *
 * @param status the status of the reply, or 0
 * @param outcome what the failure says about a write
 */
record Failure(
    String code,
    String detail,
    int status,
    Cure cure,
    Outcome outcome,
    boolean retryable,
    Duration retryAfter,
    String requestId,
    boolean replayed,
    Problem problem,
    Throwable cause) implements Serializable {

  /** What helps. TOKEN: one retry with a new token. WAIT: a retry after a pause. */
  enum Cure { NONE, WAIT, TOKEN }

  /**
   * KNOWN: the outcome is certain. UNKNOWN: this try may have executed the write. UNCHANGED: the failure says
   * nothing, so a doubt from an earlier try remains.
   */
  enum Outcome { KNOWN, UNCHANGED, UNKNOWN }

  /** The members of a problem, or of an error of the token endpoint. All may be null. */
  record Problem(
      String code,
      String title,
      String detail,
      String errorDescription,
      String requestId,
      Boolean retryable,
      List<Api.FieldError> errors) implements Serializable {
    static final Problem NONE = new Problem(null, null, null, null, null, null, null);

    Problem {
      errors = errors == null ? List.of() : List.copyOf(errors);
    }
  }

  static final Set<String> TOKEN_CODES = Set.of("token_expired", "token_invalid", "token_certificate_mismatch");
  /**
   * The client retries after these statuses. market_closed (422) is retryable, too, but a call must not wait for
   * hours until the market opens.
   */
  private static final Set<Integer> TRANSIENT_STATUSES = Set.of(408, 429, 500, 502, 503, 504);
  /** After these codes, an earlier copy of the request may be running or may have been executed. */
  private static final Set<String> DOUBTFUL_CODES = Set.of("nonce_reused", "idempotency_request_in_progress");
  private static final int CLOCK_WINDOW_SECONDS = 300;

  /** Reads the failure from a reply whose status is not 2xx. */
  static Failure refusal(Reply reply, String operation, Long clockOffsetSeconds) {
    Problem problem = readProblem(reply.body());
    boolean isTransient = TRANSIENT_STATUSES.contains(reply.status());
    String code = problem.code();
    if (code == null) {
      String detail = "The reply was " + reply.status() + ", but not in the service's format: a proxy or firewall may"
          + " have answered instead.";
      return of(reply, "reply_invalid", detail, isTransient ? Cure.WAIT : Cure.NONE, Outcome.UNKNOWN, isTransient,
          problem);
    }
    boolean waits = isTransient || DOUBTFUL_CODES.contains(code);
    boolean retryable = problem.retryable() == null ? waits || TOKEN_CODES.contains(code) : problem.retryable();
    Cure cure = TOKEN_CODES.contains(code) ? Cure.TOKEN : retryable && waits ? Cure.WAIT : Cure.NONE;
    boolean isWrongClock = code.equals("timestamp_out_of_window") && clockOffsetSeconds != null
        && clockOffsetSeconds != 0;
    String detail = isWrongClock ? wrongClock(clockOffsetSeconds) : detailOf(problem, reply.status());
    return of(reply, code, detail, cure, outcome(code, reply.status(), operation), retryable, problem);
  }

  /** The failure of a reply that does not have the documented form. */
  static Failure invalidReply(Reply reply, String operation, boolean isWrite, String reason, Throwable cause) {
    String detail = "The reply to " + operation + " does not have the documented form: " + reason + ".";
    return new Failure("reply_invalid", detail, reply.status(), Cure.NONE, Outcome.UNKNOWN, isWrite, null,
        reply.header("X-Request-Id"), false, Problem.NONE, cause);
  }

  /** The failure of a try for which the transport got no reply. */
  static Failure broken(SendException error) {
    String reason = error.getMessage();
    return switch (error.kind) {
      case UNTRUSTED -> connection("tls_failed", "TLS failed because a certificate was not accepted (" + reason
          + "). Check that cert, key and ca belong to this environment.", Cure.NONE, Outcome.UNCHANGED, error);
      case UNSENT -> connection("connection_failed", "The service could not be reached: " + reason + ".", Cure.WAIT,
          Outcome.UNCHANGED, error);
      case TIMED_OUT -> connection("timed_out", "No reply came in time: " + reason + ".", Cure.WAIT, Outcome.UNKNOWN,
          error);
      case INTERRUPTED -> connection("aborted", "The thread was interrupted.", Cure.NONE, Outcome.UNKNOWN, error);
      case BROKEN -> connection("connection_failed",
          "The connection broke before the complete reply arrived: " + reason + ".", Cure.WAIT, Outcome.UNKNOWN, error);
    };
  }

  /** The failure of a try that ended before anything was sent. */
  static Failure unsent(String code, String detail, Throwable cause) {
    return connection(code, detail, Cure.NONE, Outcome.UNCHANGED, cause);
  }

  static Failure interrupted() {
    return unsent("aborted", "The thread was interrupted.", null);
  }

  /** The same failure, for a call that did not send anything because of it. */
  Failure withoutCure() {
    return new Failure(code, detail, status, Cure.NONE, Outcome.UNCHANGED, retryable, null, requestId, replayed,
        problem, cause);
  }

  private static Failure connection(String code, String detail, Cure cure, Outcome outcome, Throwable cause) {
    boolean retryable = cure == Cure.WAIT || code.equals("timed_out");
    return new Failure(code, detail, 0, cure, outcome, retryable, null, null, false, Problem.NONE, cause);
  }

  private static Failure of(
      Reply reply, String code, String detail, Cure cure, Outcome outcome, boolean retryable, Problem problem) {
    String requestId = problem.requestId() == null ? reply.header("X-Request-Id") : problem.requestId();
    boolean replayed = "true".equals(reply.header("Idempotent-Replayed"));
    return new Failure(code, detail, reply.status(), cure, outcome, retryable, reply.retryAfter(), requestId, replayed,
        problem, null);
  }

  private static Problem readProblem(byte[] body) {
    try {
      Problem problem = Json.read(body, Problem.class);
      return problem.code() == null || problem.requestId() == null ? Problem.NONE : problem;
    } catch (IOException cause) {
      return Problem.NONE;
    }
  }

  private static String detailOf(Problem problem, int status) {
    String said = problem.detail() == null ? problem.errorDescription() : problem.detail();
    return said == null ? "The service refused with " + status + " " + problem.code() + "." : said;
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
        + " the service's, and signed requests are accepted within " + CLOCK_WINDOW_SECONDS
        + " s. Set the clock (NTP), then repeat the call.";
  }
}
