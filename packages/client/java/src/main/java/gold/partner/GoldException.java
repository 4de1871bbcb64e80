package gold.partner;

import java.time.Duration;
import java.util.List;

/**
 * The only exception that the calls of {@link GoldClient} throw. Decide by {@link #code()}: a code of the error
 * catalogue (docs/errors.md), or one of the client's own:
 *
 * <ul>
 *   <li>{@code configuration_invalid}: the settings or credentials cannot be used. Nothing was sent.
 *   <li>{@code argument_invalid}: an argument is invalid, or the client is closed. Nothing was sent.
 *   <li>{@code signing_failed}: the key or the signer failed. Nothing was sent.
 *   <li>{@code connection_failed}: the service was not reached, or the connection broke before the complete reply
 *       arrived.
 *   <li>{@code tls_failed}: one side does not accept the other's certificate.
 *   <li>{@code timed_out}: no reply in time.
 *   <li>{@code aborted}: the thread was interrupted.
 *   <li>{@code reply_invalid}: the reply does not have the documented form.
 * </ul>
 */
public final class GoldException extends RuntimeException {
  private static final long serialVersionUID = 1;

  final Failure failure;
  private final String detail;
  private final String idempotencyKey;
  private final boolean outcomeUnknown;

  GoldException(Failure failure, String detail, String idempotencyKey, boolean outcomeUnknown) {
    super(failure.code() + ": " + detail + (failure.requestId() == null ? "" : " (" + failure.requestId() + ")")
        + (outcomeUnknown ? " It is not known whether the write was executed; repeat it with the same idempotency key, "
        + idempotencyKey + ", to get its result." : ""), failure.cause());
    this.failure = failure;
    this.detail = detail;
    this.idempotencyKey = idempotencyKey;
    this.outcomeUnknown = outcomeUnknown;
  }

  GoldException(String code, String detail) {
    this(code, detail, null);
  }

  GoldException(String code, String detail, Throwable cause) {
    this(Failure.connection(code, detail, Failure.Cure.NONE, Failure.Outcome.UNCHANGED, cause), detail, null, false);
  }

  /** Why the call failed. */
  public String code() {
    return failure.code();
  }

  /** The status of the HTTP reply. 0: no reply arrived. */
  public int status() {
    return failure.status();
  }

  /** The code in words, as the service sent it. Null if the service sent none. */
  public String title() {
    return failure.problem().title();
  }

  /** What happened and what to do. */
  public String detail() {
    return detail;
  }

  /** Identifies the reply in the service's records. Give it to the operator. Null if there is none. */
  public String requestId() {
    return failure.requestId();
  }

  /** True if the same call with the same Idempotency-Key may succeed later. */
  public boolean retryable() {
    return failure.retryable();
  }

  /** The members, parameters or headers that the service refused. */
  public List<Api.FieldError> errors() {
    return failure.problem().errors() == null ? List.of() : List.copyOf(failure.problem().errors());
  }

  /** True if the service repeated a reply that it had given to this Idempotency-Key before. */
  public boolean replayed() {
    return failure.replayed();
  }

  /** How long the service asks to wait. Null if it does not say. */
  public Duration retryAfter() {
    return failure.retryAfter();
  }

  /** The Idempotency-Key of a write. A write that is repeated with it is executed at most once. Null at a read. */
  public String idempotencyKey() {
    return idempotencyKey;
  }

  /** True if the write may have been executed. Repeat it with {@link #idempotencyKey()} to get its one result. */
  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }
}
