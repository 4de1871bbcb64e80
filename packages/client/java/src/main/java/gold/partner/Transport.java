package gold.partner;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/** Sends one HTTP request, once. Retrying belongs to the caller, because every retry needs a fresh signature. */
interface Transport {
  /**
   * A request.
   *
   * @param isStream whether a successful reply is a stream, whose body is left open
   * @param timeout the limit for the complete reply, or for the headers of a stream
   */
  record Request(
      String method, URI uri, Map<String, String> headers, byte[] body, boolean isStream, Duration timeout) {}

  Reply send(Request request) throws SendException;
}
