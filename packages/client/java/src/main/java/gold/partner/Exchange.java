package gold.partner;

import gold.partner.Failure.Cure;
import gold.partner.Failure.Outcome;
import gold.partner.Transport.Reply;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Makes calls. Retries each until it succeeds, cannot be retried, or reaches a limit. */
final class Exchange {
  /** Makes a value of a reply or of a message. An IOException means that it does not have the documented form. */
  interface Reader<S, T> {
    T read(S source) throws IOException;
  }

  private record Token(String accessToken, long expiresIn) {
    Token {
      Json.required(accessToken, "access_token");
    }
  }

  /** The end of a try. The failure is null if the try succeeded, and the reply is null if none arrived. */
  private record End(Reply reply, Failure failure) {}

  private static final CountDownLatch NEVER = new CountDownLatch(1);
  private static final long FOREVER = Long.MAX_VALUE / 2; // in nanoseconds: 146 years

  final Settings settings;
  volatile OptionalLong clockOffsetSeconds = OptionalLong.empty();
  volatile boolean isClosed;
  private final Transport transport;
  /** A synchronized method would block the carrier of a virtual thread. */
  private final ReentrantLock tokenLock = new ReentrantLock();
  private volatile Token token;
  /** When to renew the token, by System.nanoTime(). */
  private long renewal;

  Exchange(Settings settings) {
    this.settings = settings.checked();
    this.transport = settings.transport.apply(this.settings);
  }

  <T> T call(Call call, Reader<Reply, T> reader) {
    return call(call, reader, System.nanoTime() + (call.isStream() ? FOREVER : settings.patience.toNanos()));
  }

  private <T> T call(Call call, Reader<Reply, T> reader, long end) {
    Reply reply = send(call, end);
    try {
      return reader.read(reply);
    } catch (IOException cause) {
      throw error(Failure.invalidReply(reply, call, cause), 1, call, true);
    }
  }

  /**
   * Returns a reply whose status is 2xx. All tries have the same Idempotency-Key. Each try has its own timestamp,
   * nonce and signature.
   */
  private Reply send(Call call, long end) {
    boolean inDoubt = false;
    boolean hasNewToken = false;
    for (int tries = 1;; tries++) {
      long start = System.nanoTime();
      End result = attempt(call, end);
      Failure failure = result.failure();
      if (failure == null) {
        report(call, tries, start, result.reply().status(), null, result.reply().header("X-Request-Id"), null);
        return result.reply();
      }
      inDoubt = failure.outcome() == Outcome.UNKNOWN || (failure.outcome() == Outcome.UNCHANGED && inDoubt);
      boolean renews = failure.cure() == Cure.TOKEN && !hasNewToken;
      boolean retries =
          call.isStream() ? failure.isTemporary() : failure.cure() == Cure.WAIT && tries < settings.triesMax;
      Duration pause = renews ? Duration.ZERO
          : call.isStream() ? call.pauses().next(failure.retryAfter()) : pauseLength(tries, failure.retryAfter());
      boolean goesOn = (renews || retries) && Duration.ofNanos(end - System.nanoTime()).compareTo(pause) > 0;
      report(call, tries, start, failure.status(), failure.code(), failure.requestId(), goesOn ? pause : null);
      if (!goesOn) throw error(failure, tries, call, inDoubt);
      settings.sleeper.accept(pause, call.isStream() ? call.pauses().closed : NEVER);
      hasNewToken = renews || (hasNewToken && !call.isStream());
    }
  }

  private End attempt(Call call, long end) {
    Outcome sent = Outcome.UNCHANGED;
    try {
      if (Thread.currentThread().isInterrupted()) throw new GoldException("aborted", "The thread was interrupted.");
      if (isClosed) throw new GoldException("argument_invalid", "The client is closed; open a new one.");
      if (call.isStream() && call.pauses().isClosed()) throw new GoldException("aborted", "The stream is closed.");
      long tokenEnd = call.isStream() ? System.nanoTime() + settings.patience.toNanos() : end;
      Token used = call.needsToken() ? token(tokenEnd) : null;
      HttpRequest request = request(call, used);
      Duration left = Duration.ofNanos(end - System.nanoTime());
      if (left.compareTo(Duration.ZERO) <= 0) {
        throw new GoldException("timed_out", "The call reached its patience before it was sent.");
      }
      sent = Outcome.UNKNOWN;
      Reply reply = transport.send(request, left.compareTo(settings.timeout) < 0 ? left : settings.timeout);
      Instant date = reply.date("Date");
      if (date != null) {
        // Date has no fractions of a second, so the service's time is on average 0.5 s later.
        double ahead = Duration.between(date, settings.clock.instant()).toMillis() / 1000.0 - 0.5;
        clockOffsetSeconds = OptionalLong.of(Math.round(ahead));
      }
      if (reply.status() / 100 == 2) return new End(reply, null);
      Failure failure = Failure.refusal(reply, call.operation(), clockOffsetSeconds.orElse(0));
      if (failure.cure() == Cure.TOKEN && token == used) token = null;
      return new End(null, failure);
    } catch (GoldException error) {
      return new End(null, error.failure.withoutCure());
    } catch (IOException error) {
      return new End(null, Failure.broken(error));
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return new End(null, Failure.connection("aborted", "The thread was interrupted.", Cure.NONE, sent, error));
    }
  }

  /** Returns the current token. Fetches one unless another thread has done so meanwhile. */
  private Token token(long end) throws InterruptedException {
    if (!tokenLock.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      throw new GoldException("timed_out", "The call reached its patience before it was sent.");
    }
    try {
      Token current = token;
      if (current != null && renewal - System.nanoTime() > 0) return current;
      Map<String, String> form = Map.of("grant_type", "client_credentials", "client_id", settings.clientId,
          "client_secret", settings.clientSecret);
      byte[] body = Call.form(form).getBytes(StandardCharsets.US_ASCII);
      long askedAt = System.nanoTime();
      Call call = Call.post("issueToken", "/oauth/token", body).withoutToken();
      current = call(call, reply -> Json.read(reply.body(), Token.class), end);
      // The service advises to renew a token after 80 percent of its life.
      renewal = askedAt + Duration.ofSeconds(current.expiresIn()).toNanos() / 10 * 8;
      token = current;
      return current;
    } finally {
      tokenLock.unlock();
    }
  }

  private HttpRequest request(Call call, Token token) {
    var body = call.body() == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(call.body());
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(settings.baseUrl + call.target()))
        .method(call.method(), body).header("Accept", call.accept());
    boolean isForm = call.operation().equals("issueToken");
    if (call.body() != null) request.header("Content-Type", isForm ? "application/x-www-form-urlencoded" : Call.JSON);
    if (token != null) request.header("Authorization", "Bearer " + token.accessToken());
    if (call.isWrite()) request.header("Idempotency-Key", call.idempotencyKey());
    if (call.signed()) sign(call, request);
    return request.build();
  }

  private void sign(Call call, HttpRequest.Builder request) {
    if (settings.signer == null) {
      throw new GoldException("configuration_invalid",
          "This call must be signed: set signingKey or signer when you open the client.");
    }
    String timestamp = String.valueOf(settings.clock.instant().getEpochSecond());
    String nonce = UUID.randomUUID().toString();
    String url = settings.baseUrl + call.target();
    try {
      byte[] payload = Crypto.canonicalRequest(call.method(), url, call.body(), timestamp, nonce);
      String signature = Crypto.detachedJws(settings.signer, payload, settings.kid);
      request.header("X-JWS-Signature", signature).header("X-Timestamp", timestamp).header("X-Nonce", nonce);
    } catch (Exception cause) { // any exception of an HSM's driver
      throw new GoldException("signing_failed", "The request could not be signed: " + cause.getMessage() + ".", cause);
    }
  }

  private void report(Call call, int tries, long start, int status, String code, String requestId, Duration retryIn) {
    Duration duration = Duration.ofNanos(System.nanoTime() - start);
    try {
      settings.observer.accept(
          new Settings.TryReport(call.operation(), tries, duration, status, code, requestId, retryIn));
    } catch (RuntimeException ignored) {
      // An exception of the observer must not replace the call's result.
    }
  }

  /**
   * Returns Retry-After and up to 0.2 s more. Without Retry-After it is a random time below a limit that doubles
   * from 0.2 s to 10 s. The random part keeps clients from coming back at the same moment.
   */
  static Duration pauseLength(int tries, Duration retryAfter) {
    long mostMillis = retryAfter != null ? 200 : Math.min(200L << Math.min(tries - 1, 6), 10_000);
    Duration random = Duration.ofMillis(ThreadLocalRandom.current().nextLong(mostMillis + 1));
    return retryAfter == null ? random : retryAfter.plus(random);
  }

  /** Sleeps until the end at most. If the thread is interrupted, it stays so, and the next try throws. */
  static void sleep(Duration length, CountDownLatch end) {
    try {
      end.await(length.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException cause) {
      Thread.currentThread().interrupt();
    }
  }

  private static GoldException error(Failure failure, int tries, Call call, boolean inDoubt) {
    String tried = tries > 1 ? " (Tried " + tries + " times.)" : "";
    String later = failure.retryAfter() == null ? "" : " Call again in " + failure.retryAfter().toSeconds() + " s.";
    String detail = failure.detail() + tried + later;
    return new GoldException(failure, detail, call.idempotencyKey(), inDoubt && call.isWrite());
  }
}
