package gold.partner;

/** The transport got no reply. */
final class SendException extends Exception {
  private static final long serialVersionUID = 1;

  /** UNSENT: nothing was sent. UNTRUSTED: a certificate was not accepted. */
  enum Kind { UNSENT, UNTRUSTED, TIMED_OUT, INTERRUPTED, BROKEN }

  final Kind kind;

  SendException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }
}
