package gold.partner;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends one HTTP request, once. Retrying belongs to the caller, because every retry needs a fresh signature. */
interface Transport {
  /** A reply. The body of a stream is in {@code live}, which is null for any other reply. */
  record Reply(int status, HttpHeaders headers, byte[] body, Flow.Publisher<List<ByteBuffer>> live) {
    String header(String name) {
      return headers.firstValue(name).map(String::strip).orElse(null);
    }

    /** Whether Content-Type is this media type, with or without parameters. */
    boolean hasType(String mediaType) {
      return headers.firstValue("Content-Type").orElse("").split(";")[0].strip().equalsIgnoreCase(mediaType);
    }

    /** Reads a header that holds an HTTP date. Returns null if there is none. */
    Instant date(String name) {
      try {
        return header(name) == null ? null : DateTimeFormatter.RFC_1123_DATE_TIME.parse(header(name), Instant::from);
      } catch (DateTimeException cause) {
        return null;
      }
    }

    /** Reads Retry-After, which holds seconds or an HTTP date. Returns null if there is none. */
    Duration retryAfter() {
      String text = header("Retry-After");
      if (text != null && text.matches("[0-9]{1,9}")) return Duration.ofSeconds(Long.parseLong(text));
      // Both dates come from the service, so a wrong clock on this machine does not matter.
      Instant then = date("Retry-After");
      Instant now = date("Date");
      if (then == null || now == null) return null;
      return then.isBefore(now) ? Duration.ZERO : Duration.between(now, then);
    }
  }

  /** Sends the request. The timeout is the limit for the complete reply, or for the headers of a stream. */
  Reply send(HttpRequest request, Duration timeout) throws IOException, InterruptedException;

  /** Returns the transport over mutual TLS. */
  static Transport open(Settings settings) {
    HttpClient http;
    try {
      http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(settings.timeout)
          .sslContext(Crypto.tlsContext(settings.cert, settings.key, settings.ca)).build();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException cause) {
      throw new GoldException("configuration_invalid",
          "The client cannot be opened. cert, key or ca cannot be used: " + cause + ".", cause);
    }
    return (request, timeout) -> {
      var reply = http.sendAsync(request, Transport::read);
      try {
        // The timeout of HttpRequest does not cover the body.
        return reply.get(timeout.toMillis(), TimeUnit.MILLISECONDS).body();
      } catch (TimeoutException cause) {
        throw new HttpTimeoutException("nothing within " + timeout.toMillis() + " ms");
      } catch (ExecutionException cause) {
        throw cause.getCause() instanceof IOException error ? error : new IOException(cause.getCause());
      } finally {
        reply.cancel(true);
      }
    };
  }

  private static BodySubscriber<Reply> read(ResponseInfo head) {
    Reply empty = new Reply(head.statusCode(), head.headers(), new byte[0], null);
    return empty.status() == 200 && empty.hasType(LiveStream.MEDIA_TYPE)
        ? BodySubscribers.mapping(BodySubscribers.ofPublisher(),
            live -> new Reply(empty.status(), empty.headers(), empty.body(), live))
        : BodySubscribers.mapping(BodySubscribers.ofByteArray(),
            body -> new Reply(empty.status(), empty.headers(), body, null));
  }
}
