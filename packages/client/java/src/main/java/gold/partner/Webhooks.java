package gold.partner;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies the webhooks of the service: Standard Webhooks, version v1. */
public final class Webhooks {
  private static final int TOLERANCE_SECONDS = 300;
  private static final int BODY_MAX_BYTES = 64 * 1024;
  // A full stop separates the signed parts, and a comma joins the values of a repeated header.
  private static final Pattern ID = Pattern.compile("[!-+\\-/-~]{1,255}");
  private static final Pattern TIMESTAMP = Pattern.compile("[1-9][0-9]{9}");
  private static final Pattern SIGNATURE = Pattern.compile("(?s).{1,4096}");

  private record Delivery(String id, String timestamp, byte[] body) {}

  private Webhooks() {}

  /**
   * Verifies a webhook and reads its event. Accepts a delivery that one of the secrets signed, within 300 seconds.
   *
   * <pre>{@code
   * var webhook = Webhooks.verify(request.getInputStream().readAllBytes(), request::getHeader, secrets);
   * }</pre>
   *
   * @param body the bytes as they were received, before any parser
   * @param header returns the value of a header, or null; names match in any case, as frameworks do it
   * @param secrets your active secrets, {@code whsec_…}; two while one replaces the other
   * @return the event
   * @throws WebhookVerificationException if the delivery must be refused, or a secret is invalid
   */
  public static VerifiedWebhook verify(byte[] body, Function<String, String> header, Collection<String> secrets) {
    return verify(body, header, secrets, Instant.now());
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
    return signature(secretKey(secret), new Delivery(id, String.valueOf(timestamp), body));
  }

  static VerifiedWebhook verify(
      byte[] body, Function<String, String> header, Collection<String> secrets, Instant now) {
    Delivery delivery = verifySignature(body, header, secrets, now);
    Api.WebhookEvent event;
    try {
      event = Json.read(body, Api.WebhookEvent.class);
    } catch (IOException cause) {
      throw eventInvalid("the body is not an event");
    }
    if (!event.id().equals(delivery.id())) throw eventInvalid("the id in the body differs from the webhook-id");
    return new VerifiedWebhook(delivery.id(), Instant.ofEpochSecond(Long.parseLong(delivery.timestamp())), event);
  }

  /** Returns the delivery if one of the secrets signed exactly these bytes. */
  static Delivery verifySignature(
      byte[] body, Function<String, String> header, Collection<String> secrets, Instant now) {
    if (secrets.isEmpty()) {
      throw new WebhookVerificationException("argument_invalid", "Pass at least one secret, whsec_….");
    }
    List<byte[]> keys = secrets.stream().map(Webhooks::secretKey).toList();
    // Checked before any computation over the body, because the sender is not known yet.
    if (body.length > BODY_MAX_BYTES) {
      throw new WebhookVerificationException("body_too_long",
          "The body is longer than " + BODY_MAX_BYTES + " bytes, so it is not a delivery of this service.");
    }
    String id = read(header, "webhook-id", ID, "1 to 255 visible ASCII characters without comma and full stop");
    String timestamp = read(header, "webhook-timestamp", TIMESTAMP, "Unix time in seconds, ten digits");
    String signatures = read(header, "webhook-signature", SIGNATURE, "at most 4,096 characters long");
    long ageSeconds = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now).toSeconds();
    if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) {
      throw new WebhookVerificationException(ageSeconds > 0 ? "timestamp_too_old" : "timestamp_too_new",
          "webhook-timestamp is " + Math.abs(ageSeconds) + " s from this clock: a replay, or a wrong clock.");
    }
    List<byte[]> offered = Arrays.stream(signatures.split(" ")).filter(one -> one.startsWith("v1,"))
        .map(one -> one.getBytes(StandardCharsets.UTF_8)).toList();
    if (offered.isEmpty()) {
      throw new WebhookVerificationException("signature_version_unknown",
          "webhook-signature contains no v1 signature, the only version that this package supports.");
    }
    Delivery delivery = new Delivery(id, timestamp, body);
    boolean matches = false;
    for (byte[] key : keys) {
      byte[] expected = signature(key, delivery).getBytes(StandardCharsets.UTF_8);
      // Every pair is compared, in constant time.
      for (byte[] one : offered) matches |= MessageDigest.isEqual(expected, one);
    }
    if (matches) return delivery;
    throw new WebhookVerificationException("signature_mismatch",
        "No signature matches these bytes and secrets: pass the raw body and every active secret.");
  }

  private static String signature(byte[] key, Delivery delivery) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((delivery.id() + "." + delivery.timestamp() + ".").getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(delivery.body()));
    } catch (GeneralSecurityException cause) {
      throw new IllegalStateException("Every Java has HmacSHA256.", cause);
    }
  }

  /** Returns the key of whsec_ and padded base64 of 24 to 64 bytes. The exception does not show the text. */
  private static byte[] secretKey(String text) {
    String encoded = text.startsWith("whsec_") ? text.substring("whsec_".length()) : "";
    byte[] key = new byte[0];
    try {
      key = Base64.getDecoder().decode(encoded);
    } catch (IllegalArgumentException cause) {
      // The key stays empty, which is refused below.
    }
    boolean isCanonical = Base64.getEncoder().encodeToString(key).equals(encoded);
    if (isCanonical && key.length >= 24 && key.length <= 64) return key;
    throw new WebhookVerificationException("secret_invalid",
        "A webhook secret must be whsec_ and padded base64 of 24 to 64 bytes; copy it again.");
  }

  private static String read(Function<String, String> header, String name, Pattern form, String says) {
    String value = header.apply(name);
    if (value == null || value.isEmpty()) {
      throw new WebhookVerificationException("header_missing", "The header " + name + " is missing.");
    }
    if (form.matcher(value).matches()) return value;
    throw new WebhookVerificationException("header_invalid", name + " must be " + says + ".");
  }

  private static WebhookVerificationException eventInvalid(String what) {
    return new WebhookVerificationException("event_invalid",
        "The signature is correct, but " + what + "; update the package.");
  }
}
