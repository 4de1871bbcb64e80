package gold.partner;

import gold.partner.Failure.Cure;
import gold.partner.Failure.Outcome;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/** Makes calls. Retries each until it succeeds, cannot be retried, or reaches a limit. */
final class Exchange {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(10);
  private static final int MAX_DOUBLINGS = 6;
  /** A token is renewed after 80 percent of its life, as the service advises. */
  private static final int RENEWED_AT_PERCENT = 80;

  /** Reads the value of a reply. An IOException means that the reply does not have the operation's form. */
  @FunctionalInterface
  interface Reader<T> {
    T read(Reply reply) throws IOException;
  }

  /** A token, and when to renew it, by System.nanoTime(). */
  private record Token(String text, long renewal) {}

  private record Grant(String accessToken, long expiresIn) {
    Grant {
      Json.required(accessToken, "access_token");
    }
  }

  /** The end of a try: a reply, or a failure. */
  private record End(Reply reply, Failure failure) {}

  private final Settings settings;
  private final Transport transport;
  private final ReentrantLock tokenLock = new ReentrantLock();
  private volatile Token token;
  private volatile Long clockOffsetSeconds;
  private volatile boolean isClosed;

  Exchange(Settings settings, Transport transport) {
    this.settings = settings;
    this.transport = transport;
  }

  Long clockOffsetSeconds() {
    return clockOffsetSeconds;
  }

  void close() {
    isClosed = true;
  }

  /** Returns the value that the reader makes of the reply. */
  <T> T call(Call call, Reader<T> reader) {
    return call(call, reader, System.nanoTime() + settings.patience.toNanos());
  }

  /** Forgets the token, so that the next call fetches a new one. */
  void dropToken() {
    token = null;
  }

  /** Waits before another try of a stream. */
  void pauseBefore(int tries) {
    if (!pause(pauseLength(tries, null))) throw new GoldException(Failure.interrupted());
  }

  private <T> T call(Call call, Reader<T> reader, long end) {
    Reply reply = send(call, end);
    try {
      return reader.read(reply);
    } catch (IOException cause) {
      String reason = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
      Failure failure = Failure.invalidReply(reply, call.operation(), call.isWrite(), reason, cause);
      throw new GoldException(failure, failure.detail(), call.idempotencyKey(), call.isWrite());
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
      if (result.reply() != null) {
        report(call, tries, start, result, null);
        return result.reply();
      }
      Failure failure = result.failure();
      inDoubt = failure.outcome() == Outcome.UNKNOWN || (failure.outcome() == Outcome.UNCHANGED && inDoubt);
      boolean renews = failure.cure() == Cure.TOKEN && !hasNewToken;
      boolean retries = failure.cure() == Cure.WAIT && tries < settings.triesMax;
      Duration pause = renews ? Duration.ZERO : pauseLength(tries, failure.retryAfter());
      boolean goesOn = (renews || retries) && Duration.ofNanos(end - System.nanoTime()).compareTo(pause) > 0;
      report(call, tries, start, result, goesOn ? pause : null);
      if (!goesOn) throw error(failure, tries, call, inDoubt);
      hasNewToken |= renews;
      if (!pause(pause)) throw error(Failure.interrupted(), tries, call, inDoubt);
    }
  }

  private End attempt(Call call, long end) {
    Token used = null;
    Map<String, String> headers;
    Duration left;
    try {
      if (isClosed) throw new GoldException("argument_invalid", "The client is closed; open a new one.");
      if (call.needsToken()) used = token(end);
      headers = headers(call, used);
      left = Duration.ofNanos(end - System.nanoTime());
      if (left.isNegative() || left.isZero()) {
        throw new GoldException("timed_out", "The call reached its patience before it was sent.");
      }
    } catch (GoldException error) {
      return new End(null, error.failure().withoutCure());
    }
    Duration timeout = left.compareTo(settings.timeout) < 0 ? left : settings.timeout;
    URI uri = URI.create(settings.baseUrl + call.target());
    Reply reply;
    try {
      reply = transport.send(
          new Transport.Request(call.method(), uri, headers, call.body(), call.isStream(), timeout));
    } catch (SendException error) {
      return new End(null, Failure.broken(error));
    }
    measureClock(reply);
    if (reply.status() >= 200 && reply.status() < 300) return new End(reply, null);
    Failure failure = Failure.refusal(reply, call.operation(), clockOffsetSeconds);
    if (failure.cure() == Cure.TOKEN && token == used) dropToken();
    return new End(null, failure);
  }

  /** Returns the current token. Fetches one unless another thread has done so meanwhile. */
  private Token token(long end) {
    Token current = token;
    if (isFresh(current)) return current;
    tokenLock.lock();
    try {
      if (isFresh(token)) return token;
      Map<String, String> form = new LinkedHashMap<>();
      form.put("grant_type", "client_credentials");
      form.put("client_id", settings.clientId);
      form.put("client_secret", settings.clientSecret);
      byte[] body = Call.form(form).getBytes(StandardCharsets.US_ASCII);
      long askedAt = System.nanoTime();
      Call call = Call.post("issueToken", "/oauth/token", body).withoutToken();
      Grant grant = call(call, reply -> Json.read(reply.body(), Grant.class), end);
      Duration life = Duration.ofSeconds(grant.expiresIn()).multipliedBy(RENEWED_AT_PERCENT).dividedBy(100);
      token = new Token(grant.accessToken(), askedAt + life.toNanos());
      return token;
    } finally {
      tokenLock.unlock();
    }
  }

  private static boolean isFresh(Token token) {
    return token != null && token.renewal() - System.nanoTime() > 0;
  }

  private Map<String, String> headers(Call call, Token token) {
    Map<String, String> headers = new HashMap<>();
    headers.put("Accept", call.accept());
    boolean isForm = call.operation().equals("issueToken");
    if (call.body() != null) {
      headers.put("Content-Type", isForm ? "application/x-www-form-urlencoded" : Call.JSON);
    }
    if (token != null) headers.put("Authorization", "Bearer " + token.text());
    if (call.isWrite()) headers.put("Idempotency-Key", call.idempotencyKey());
    if (call.signed()) sign(call, headers);
    return headers;
  }

  private void sign(Call call, Map<String, String> headers) {
    if (settings.signer == null) {
      throw new GoldException("configuration_invalid",
          "This call must be signed: set signingKey or signer when you open the client.");
    }
    String timestamp = String.valueOf(settings.clock.instant().getEpochSecond());
    String nonce = UUID.randomUUID().toString();
    String url = settings.baseUrl + call.target();
    try {
      byte[] payload = Crypto.canonicalRequest(call.method(), url, call.body(), timestamp, nonce);
      headers.put("X-JWS-Signature", Crypto.detachedJws(settings.signer, payload, settings.kid));
    } catch (Exception cause) { // any exception of an HSM's driver
      throw new GoldException("signing_failed", "The request could not be signed: " + cause.getMessage() + ".", cause);
    }
    headers.put("X-Timestamp", timestamp);
    headers.put("X-Nonce", nonce);
  }

  private void measureClock(Reply reply) {
    Instant date = reply.date();
    if (date == null) return;
    // Date has no fractions of a second, so the service's time is on average 0.5 s later.
    long aheadMillis = Duration.between(date, settings.clock.instant()).toMillis() - 500;
    clockOffsetSeconds = Math.round(aheadMillis / 1000.0);
  }

  private void report(Call call, int tries, long start, End end, Duration retryIn) {
    Reply reply = end.reply();
    Failure failure = end.failure();
    int status = reply == null ? failure.status() : reply.status();
    String code = failure == null ? null : failure.code();
    String requestId = reply == null ? failure.requestId() : reply.header("X-Request-Id");
    Duration duration = Duration.ofNanos(System.nanoTime() - start);
    try {
      settings.observer.accept(new TryReport(call.operation(), tries, duration, status, code, requestId, retryIn));
    } catch (RuntimeException ignored) {
      // An exception of the observer must not replace the call's result.
    }
  }

  /**
   * Returns Retry-After and up to 0.2 s more. Without Retry-After it is a random time below a limit that doubles
   * from 0.2 s to 10 s. The random part keeps clients from coming back at the same moment.
   */
  private static Duration pauseLength(int tries, Duration retryAfter) {
    Duration doubled = FIRST_PAUSE.multipliedBy(1L << Math.min(tries - 1, MAX_DOUBLINGS));
    Duration most = retryAfter != null ? FIRST_PAUSE : doubled.compareTo(PAUSE_MAX) < 0 ? doubled : PAUSE_MAX;
    Duration random = Duration.ofMillis(ThreadLocalRandom.current().nextLong(most.toMillis() + 1));
    return retryAfter == null ? random : retryAfter.plus(random);
  }

  /** Returns false if the thread was interrupted. */
  private boolean pause(Duration length) {
    try {
      settings.sleeper.sleep(length);
      return true;
    } catch (InterruptedException cause) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static GoldException error(Failure failure, int tries, Call call, boolean inDoubt) {
    String tried = tries > 1 ? " (Tried " + tries + " times.)" : "";
    String later = failure.retryAfter() == null ? "" : " Call again in " + failure.retryAfter().toSeconds() + " s.";
    String detail = failure.detail() + tried + later;
    return new GoldException(failure, detail, call.idempotencyKey(), inDoubt && call.isWrite());
  }
}
