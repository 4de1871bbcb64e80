package gold.partner;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies the webhooks of the service: Standard Webhooks, version v1. */
public final class Webhooks {
  private static final int TOLERANCE_SECONDS = 300;
  private static final int BODY_MAX_BYTES = 64 * 1024;

  /**
   * A webhook whose signature is correct, and when this attempt was signed. If you have the event's id already,
   * acknowledge the delivery and do nothing.
   */
  public record Verified(String id, Instant timestamp, Api.WebhookEvent event) {}

  private Webhooks() {}

  /**
   * Verifies a webhook and reads its event. Accepts a delivery that one of the secrets signed, within 300 seconds.
   *
   * <pre>{@code
   * var webhook = Webhooks.verify(request.getInputStream().readAllBytes(), request::getHeader, secrets, clientId);
   * }</pre>
   *
   * @param body the bytes as they were received, before any parser
   * @param header returns the value of a header, or null; names match in any case, as frameworks do it
   * @param secrets your active secrets, {@code whsec_…}; two while one replaces the other
   * @return the event
   * @throws WebhookVerificationException if the delivery must be refused, or a secret is invalid
   */
  public static Verified verify(byte[] body, Function<String, String> header, Collection<String> secrets) {
    return verify(body, header, secrets, null);
  }

  /**
   * Verifies a webhook as {@link #verify(byte[], Function, Collection)}, and refuses an event that was sent to another
   * partner's endpoint. An event of a service before 0.7.0 names no partner, and is accepted.
   *
   * @param body the bytes as they were received, before any parser
   * @param header returns the value of a header, or null; names match in any case, as frameworks do it
   * @param secrets your active secrets, {@code whsec_…}; two while one replaces the other
   * @param clientId your client_id; null to compare none
   * @return the event
   * @throws WebhookVerificationException if the delivery must be refused, or a secret is invalid
   */
  public static Verified verify(
      byte[] body, Function<String, String> header, Collection<String> secrets, String clientId) {
    return verify(body, header, secrets, clientId, Instant.now());
  }

  static Verified verify(
      byte[] body, Function<String, String> header, Collection<String> secrets, String clientId, Instant now) {
    verifySignature(body, header, secrets, now);
    String id = header.apply("webhook-id");
    Instant timestamp = Instant.ofEpochSecond(Long.parseLong(header.apply("webhook-timestamp")));
    try {
      Api.WebhookEvent event = Json.read(body, Api.WebhookEvent.class);
      check(event.id().equals(id), "event_invalid",
          "The signature is correct, but the event in the body has another id than webhook-id.");
      check(clientId == null || event.clientId() == null || event.clientId().equals(clientId), "client_mismatch",
          "The event was sent to another partner's endpoint, or clientId is wrong; call the operator.");
      return new Verified(id, timestamp, event);
    } catch (IOException cause) {
      throw new WebhookVerificationException("event_invalid",
          "The signature is correct, but this version of the package cannot read the event; update the package.");
    }
  }

  /**
   * Signs a delivery as the service does, for tests of your receiver.
   *
   * @param secret {@code whsec_…}
   * @param id the webhook-id
   * @param timestamp the webhook-timestamp: Unix time in seconds
   * @param body the bytes of the body
   * @return the webhook-signature
   */
  public static String sign(String secret, String id, long timestamp, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secretKey(secret), "HmacSHA256"));
      mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException cause) {
      throw new IllegalStateException("Every Java has HmacSHA256.", cause);
    }
  }

  /** Throws a WebhookVerificationException unless one of the secrets signed exactly these bytes. */
  static void verifySignature(
      byte[] body, Function<String, String> header, Collection<String> secrets, Instant now) {
    check(!secrets.isEmpty(), "argument_invalid", "Pass at least one secret, whsec_….");
    secrets.forEach(Webhooks::secretKey);
    // Checked before any computation over the body, because the sender is not known yet.
    check(body.length <= BODY_MAX_BYTES, "body_too_long",
        "The body is longer than " + BODY_MAX_BYTES + " bytes, so it is not a delivery of this service.");
    // A full stop separates the signed parts, and a comma joins the values of a repeated header.
    String id = read(header, "webhook-id", "[!-+\\-/-~]{1,255}",
        "1 to 255 visible ASCII characters without comma and full stop");
    String time = read(header, "webhook-timestamp", "[1-9][0-9]{9}", "Unix time in seconds, ten digits");
    String signatures = read(header, "webhook-signature", "(?s).{1,4096}", "at most 4,096 characters long");
    long timestamp = Long.parseLong(time);
    long ageSeconds = now.getEpochSecond() - timestamp;
    check(Math.abs(ageSeconds) <= TOLERANCE_SECONDS, ageSeconds > 0 ? "timestamp_too_old" : "timestamp_too_new",
        "webhook-timestamp is " + Math.abs(ageSeconds) + " s from this clock: a replay, or a wrong clock.");
    List<String> offered = Arrays.stream(signatures.split(" ")).filter(one -> one.startsWith("v1,")).toList();
    check(!offered.isEmpty(), "signature_version_unknown",
        "webhook-signature contains no v1 signature, the only version that this package supports.");
    boolean matches = false;
    for (String secret : secrets) {
      byte[] expected = sign(secret, id, timestamp, body).getBytes(StandardCharsets.UTF_8);
      // Every pair is compared, in constant time.
      for (String one : offered) matches |= MessageDigest.isEqual(expected, one.getBytes(StandardCharsets.UTF_8));
    }
    check(matches, "signature_mismatch",
        "No signature matches these bytes and secrets: pass the raw body and every active secret.");
  }

  /** Returns the key of whsec_ and padded base64 of 24 to 64 bytes. The exception does not show the text. */
  private static byte[] secretKey(String text) {
    byte[] key = new byte[0];
    try {
      key = Base64.getDecoder().decode(text.replaceFirst("^whsec_", ""));
    } catch (IllegalArgumentException cause) {
      // The key stays empty, which is refused below.
    }
    boolean isCanonical = text.equals("whsec_" + Base64.getEncoder().encodeToString(key));
    check(isCanonical && key.length >= 24 && key.length <= 64, "secret_invalid",
        "A webhook secret must be whsec_ and padded base64 of 24 to 64 bytes; copy it again.");
    return key;
  }

  private static String read(Function<String, String> header, String name, String form, String says) {
    String value = header.apply(name);
    check(value != null && !value.isEmpty(), "header_missing", "The header " + name + " is missing.");
    check(value.matches(form), "header_invalid", name + " must be " + says + ".");
    return value;
  }

  private static void check(boolean isValid, String code, String detail) {
    if (!isValid) throw new WebhookVerificationException(code, detail);
  }
}
