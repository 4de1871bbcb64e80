package gold.partner;

import java.math.BigDecimal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An operation with its checked arguments. Only a write has an idempotencyKey, a GET has no body, and a stream has
 * pauses.
 */
record Call(String operation, String method, String target, byte[] body, String idempotencyKey, boolean needsToken,
    boolean signed, String accept, LiveStream.Pauses pauses) {
  static final String JSON = "application/json";

  static Call get(String operation, String target) {
    return new Call(operation, "GET", target, null, null, true, false, JSON, null);
  }

  static Call post(String operation, String target, byte[] body) {
    return new Call(operation, "POST", target, body, null, true, false, JSON, null);
  }

  static Call write(String operation, String target, Object request, String idempotencyKey) {
    if (idempotencyKey == null || !idempotencyKey.matches("[!-~]{1,255}")) {
      throw new GoldException("argument_invalid", "idempotencyKey must be 1 to 255 visible ASCII characters.");
    }
    byte[] body = Json.write(given("request", request));
    return new Call(operation, "POST", target, body, idempotencyKey, true, false, JSON, null);
  }

  Call asSigned() {
    return new Call(operation, method, target, body, idempotencyKey, needsToken, true, accept, pauses);
  }

  Call withoutToken() {
    return new Call(operation, method, target, body, idempotencyKey, false, signed, accept, pauses);
  }

  Call accepting(String mediaType) {
    return new Call(operation, method, target, body, idempotencyKey, needsToken, signed, mediaType, pauses);
  }

  /** Opens a stream. The call has no limits of time and tries, and ends when the stream is closed. */
  Call streaming(LiveStream.Pauses pauses) {
    return new Call(operation, method, target, body, idempotencyKey, needsToken, signed, LiveStream.MEDIA_TYPE, pauses);
  }

  boolean isStream() {
    return pauses != null;
  }

  boolean isWrite() {
    return idempotencyKey != null;
  }

  /** Returns the id. Any other text, for example one with a slash, could lead to another path. */
  static String id(String value) {
    if (value != null && value.matches("\\w+(-\\w+)*")) return value;
    throw new GoldException("argument_invalid", value + " is not an id; pass the id that the service returned.");
  }

  /** Refuses a request without a required member. */
  static <T> T given(String name, T value) {
    if (value != null) return value;
    throw new GoldException("argument_invalid", name + " must not be null.");
  }

  /** Returns money or gold without trailing zeros, and never rounded. Null stays null: the member is left out. */
  static BigDecimal exact(String name, BigDecimal value, int decimalsMax) {
    if (value == null) return null;
    BigDecimal exact = value.stripTrailingZeros();
    String mistake = value.signum() <= 0 ? "it is not above zero"
        : value.compareTo(new BigDecimal(Double.MAX_VALUE)) > 0 ? "it is above the greatest double"
        : exact.scale() > decimalsMax ? "it has more than " + decimalsMax + " decimals" : null;
    if (mistake == null) return exact;
    throw new GoldException("argument_invalid", name + " is invalid: " + value + ": " + mistake + ".");
  }

  static String target(String path, Object query) {
    String text = form(Json.texts(query));
    return text.isEmpty() ? path : path + "?" + text;
  }

  /** Encodes a space as %20, because the service refuses a plus in a query. */
  static String form(Map<String, String> texts) {
    return texts.entrySet().stream()
        .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&")).replace("+", "%20");
  }
}
