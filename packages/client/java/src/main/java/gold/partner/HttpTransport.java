package gold.partner;

import gold.partner.SendException.Kind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/** Sends requests over mutual TLS. */
final class HttpTransport implements Transport {
  /** The alerts with which the service's side refuses a client certificate. */
  private static final Pattern CERTIFICATE_ALERT = Pattern.compile("alert: (.*certificate.*|unknown_ca|access_denied)");

  private final HttpClient http;

  HttpTransport(SSLContext tls, Duration connectTimeout) {
    http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(tls).connectTimeout(connectTimeout)
        .build();
  }

  @Override
  public Reply send(Request request) throws SendException {
    HttpRequest.Builder builder = HttpRequest.newBuilder(request.uri());
    request.headers().forEach(builder::header);
    var body = request.body() == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(request.body());
    HttpRequest sent = builder.method(request.method(), body).build();
    if (!request.isStream()) {
      HttpResponse<byte[]> response = await(http.sendAsync(sent, BodyHandlers.ofByteArray()), request.timeout());
      return new Reply(response.statusCode(), headersOf(response), response.body(), null);
    }
    HttpResponse<Flow.Publisher<List<ByteBuffer>>> response =
        await(http.sendAsync(sent, BodyHandlers.ofPublisher()), request.timeout());
    LiveBody live = new LiveBody(request.timeout());
    response.body().subscribe(live);
    if (response.statusCode() == 200) return new Reply(200, headersOf(response), new byte[0], live);
    try (live) {
      return new Reply(response.statusCode(), headersOf(response), live.readAllBytes(), null);
    } catch (IOException cause) {
      throw failure(cause);
    }
  }

  private static <T> T await(CompletableFuture<T> reply, Duration timeout) throws SendException {
    try {
      return reply.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException cause) {
      reply.cancel(true);
      throw new SendException(Kind.TIMED_OUT, "nothing within " + timeout.toMillis() + " ms", cause);
    } catch (InterruptedException cause) {
      reply.cancel(true);
      Thread.currentThread().interrupt();
      throw new SendException(Kind.INTERRUPTED, "interrupted", cause);
    } catch (ExecutionException cause) {
      throw failure(cause.getCause());
    }
  }

  /** Headers that occur several times are joined with commas. */
  private static Map<String, String> headersOf(HttpResponse<?> response) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    response.headers().map().forEach((name, values) -> headers.put(name, String.join(", ", values)));
    return headers;
  }

  static SendException failure(Throwable error) {
    String message = error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
    return new SendException(kindOf(error), message, error);
  }

  private static Kind kindOf(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof CertificateException) return Kind.UNTRUSTED;
      if (each instanceof SSLException && CERTIFICATE_ALERT.matcher("" + each.getMessage()).find()) {
        return Kind.UNTRUSTED;
      }
      if (each instanceof ConnectException || each instanceof HttpConnectTimeoutException
          || each instanceof UnresolvedAddressException) {
        return Kind.UNSENT;
      }
      if (each instanceof HttpTimeoutException) return Kind.TIMED_OUT;
    }
    return Kind.BROKEN;
  }
}
