package gold.partner;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Map;

/**
 * An HTTP reply.
 *
 * @param headers a map whose names match in any case
 * @param live the open body of a stream; null for any other reply
 */
record Reply(int status, Map<String, String> headers, byte[] body, LiveBody live) {

  String header(String name) {
    return headers.get(name);
  }

  /** Whether Content-Type is this media type, with or without parameters. */
  boolean hasType(String mediaType) {
    String type = header("Content-Type");
    return type != null && type.split(";")[0].trim().equalsIgnoreCase(mediaType);
  }

  /** The service's time in Date; null if there is none. */
  Instant date() {
    return readDate(header("Date"));
  }

  /** Reads Retry-After, which holds seconds or an HTTP date. */
  Duration retryAfter() {
    String text = header("Retry-After");
    if (text == null) return null;
    if (text.trim().matches("[0-9]{1,9}")) return Duration.ofSeconds(Long.parseLong(text.trim()));
    // Both dates come from the service, so a wrong clock on this machine does not matter.
    Instant then = readDate(text.trim());
    Instant now = date();
    if (then == null || now == null) return null;
    return then.isBefore(now) ? Duration.ZERO : Duration.between(now, then);
  }

  private static Instant readDate(String text) {
    try {
      return text == null ? null : ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    } catch (DateTimeParseException cause) {
      return null;
    }
  }
}
