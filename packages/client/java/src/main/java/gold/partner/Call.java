package gold.partner;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An operation with its arguments.
 *
 * @param operation the operation's name in the API description
 * @param target the path and query, as they are sent
 * @param body null for a GET
 * @param idempotencyKey null unless the call is a write
 */
record Call(
    String operation,
    String method,
    String target,
    byte[] body,
    String idempotencyKey,
    boolean needsToken,
    boolean signed,
    String accept) {
  static final String JSON = "application/json";
  private static final Pattern ID = Pattern.compile("\\w+(-\\w+)*");
  private static final Pattern KEY = Pattern.compile("[!-~]{1,255}");

  static Call get(String operation, String target) {
    return new Call(operation, "GET", target, null, null, true, false, JSON);
  }

  static Call post(String operation, String target, byte[] body) {
    return new Call(operation, "POST", target, body, null, true, false, JSON);
  }

  static Call write(String operation, String target, Object request, String idempotencyKey) {
    if (idempotencyKey == null || !KEY.matcher(idempotencyKey).matches()) {
      throw new GoldException("argument_invalid", "idempotencyKey must be 1 to 255 visible ASCII characters.");
    }
    byte[] body = Json.write(Quantities.given("request", request));
    return new Call(operation, "POST", target, body, idempotencyKey, true, false, JSON);
  }

  Call asSigned() {
    return new Call(operation, method, target, body, idempotencyKey, needsToken, true, accept);
  }

  Call withoutToken() {
    return new Call(operation, method, target, body, idempotencyKey, false, signed, accept);
  }

  Call accepting(String mediaType) {
    return new Call(operation, method, target, body, idempotencyKey, needsToken, signed, mediaType);
  }

  boolean isStream() {
    return accept.equals(LiveStream.MEDIA_TYPE);
  }

  boolean isWrite() {
    return idempotencyKey != null;
  }

  /** Returns the id. Any other text, for example one with a slash, could lead to another path. */
  static String id(String value) {
    if (value != null && ID.matcher(value).matches()) return value;
    throw new GoldException("argument_invalid", value + " is not an id; pass the id that the service returned.");
  }

  static String target(String path, Object query) {
    String text = form(Json.texts(query));
    return text.isEmpty() ? path : path + "?" + text;
  }

  static String form(Map<String, String> texts) {
    return texts.entrySet().stream().map(entry -> encode(entry.getKey()) + "=" + encode(entry.getValue()))
        .collect(Collectors.joining("&"));
  }

  /** A space is %20, because the service refuses a plus in a query. */
  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
