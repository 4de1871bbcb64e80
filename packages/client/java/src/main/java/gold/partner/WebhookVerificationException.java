package gold.partner;

/**
 * The only exception of {@link Webhooks#verify}. Decide by {@link #code()}. {@code signature_mismatch},
 * {@code client_mismatch}, {@code signature_version_unknown}, {@code timestamp_too_old}, {@code timestamp_too_new},
 * {@code header_missing}, {@code header_invalid}, {@code body_too_long} and {@code event_invalid}: refuse the delivery
 * with 400.
 * {@code secret_invalid} and {@code argument_invalid}: a mistake in your program.
 */
public final class WebhookVerificationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String code;

  WebhookVerificationException(String code, String detail) {
    super(code + ": " + detail);
    this.code = code;
  }

  /** What is wrong. */
  public String code() {
    return code;
  }
}
