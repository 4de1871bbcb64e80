package gold.partner;

import gold.partner.Exchange.Reader;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A stream of the service, for one loop at a time: the loop waits for each item, and ends when another thread calls
 * {@link #close()}. A stream reconnects by itself after a lost connection, and when the service ends it, without a
 * limit of time or tries. The loop throws a {@link GoldException} only after a permanent failure, such as the
 * refusal of a suspended partner. A new loop over the same stream continues after the last item.
 *
 * @param <T> the type of the items
 */
public final class LiveStream<T> implements Iterable<T>, AutoCloseable {
  static final String MEDIA_TYPE = "text/event-stream";

  /** A message of the stream. The name is "message" unless the service gave another one. */
  record Message(String name, byte[] data) {}

  /** The pauses between two tries. They grow until a comment or data arrives. */
  static final class Pauses {
    /** The longest pause, whatever Retry-After says. */
    private static final Duration PAUSE_MAX = Duration.ofHours(1);

    final CountDownLatch closed = new CountDownLatch(1);
    private int count;

    Duration next(Duration retryAfter) {
      count++;
      boolean isLong = retryAfter != null && retryAfter.compareTo(PAUSE_MAX) > 0;
      return Exchange.pauseLength(count, isLong ? PAUSE_MAX : retryAfter);
    }

    void reset() {
      count = 0;
    }

    boolean isClosed() {
      return closed.getCount() == 0;
    }
  }

  private final Exchange exchange;
  private final String operation;
  private final Supplier<String> target;
  private final Reader<Message, T> reader;
  private volatile Lines lines;
  private final Pauses pauses = new Pauses();
  private boolean wasOpen;

  /** The reader returns null for a message to ignore. */
  LiveStream(Exchange exchange, String operation, Supplier<String> target, Reader<Message, T> reader) {
    this.exchange = exchange;
    this.operation = operation;
    this.target = target;
    this.reader = reader;
  }

  @Override
  public Iterator<T> iterator() {
    return Stream.generate(this::receive).takeWhile(Objects::nonNull).iterator();
  }

  /** Ends the stream. A loop that waits ends at once, and a loop that is connecting when this try has ended. */
  @Override
  public void close() {
    pauses.closed.countDown();
    Lines open = lines;
    if (open != null) open.close();
  }

  /** Returns the next item, or null when the stream is closed. */
  private T receive() {
    try {
      while (!pauses.isClosed()) {
        if (lines == null) connect();
        Message message = nextMessage();
        // After "end", the service accepts the next connection, or refuses it with the reason.
        if (message == null || message.name().equals("end")) {
          disconnect();
        } else {
          pauses.reset();
          T item = reader.read(message);
          if (item != null) return item;
        }
      }
      return null;
    } catch (IOException cause) {
      disconnect();
      throw new GoldException("reply_invalid", "A message of the stream does not have the documented form.", cause);
    } catch (GoldException failure) {
      // An interrupt can come in the middle of a message, which the next connection then repeats.
      disconnect();
      if (pauses.isClosed()) return null;
      throw failure;
    }
  }

  private void disconnect() {
    if (lines != null) lines.close();
    lines = null;
  }

  private void connect() {
    if (wasOpen) exchange.settings.sleeper.accept(pauses.next(null), pauses.closed);
    wasOpen = false;
    lines = exchange.call(Call.get(operation, target.get()).streaming(pauses), reply -> {
      if (reply.live() == null) {
        throw new IOException("Content-Type must be " + MEDIA_TYPE + "; got " + reply.header("Content-Type"));
      }
      Lines received = new Lines();
      reply.live().subscribe(BodySubscribers.fromLineSubscriber(received));
      return received;
    });
    wasOpen = true;
    if (pauses.isClosed()) lines.close();
  }

  /** Returns the next message, or null if the connection is lost. */
  private Message nextMessage() {
    String name = "message";
    StringBuilder data = new StringBuilder();
    for (String line; (line = lines.next(exchange.settings.silenceMax)) != null;) {
      if (line.startsWith(":")) pauses.reset();
      String value = line.substring(line.indexOf(':') + 1).replaceFirst("^ ", "");
      if (line.startsWith("event:")) name = value;
      else if (line.startsWith("data:")) data.append(value).append('\n');
      else if (line.isEmpty() && data.isEmpty()) name = "message";
      else if (line.isEmpty()) return new Message(name, data.toString().getBytes(StandardCharsets.UTF_8));
    }
    return null;
  }

  /**
   * The lines of one connection. A read of HttpClient's own stream has no time limit, and in Java 17 it ignores
   * interrupts.
   */
  private static final class Lines implements Flow.Subscriber<String> {
    /** Each line, and empty when the connection has ended. */
    private final BlockingQueue<Optional<String>> received = new LinkedBlockingQueue<>();
    private volatile Flow.Subscription subscription;

    /** Returns the next line, or null if the connection has ended, or is silent for too long. */
    String next(Duration silenceMax) {
      try {
        Optional<String> line = received.poll(silenceMax.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null || line.isEmpty()) return null;
        subscription.request(1);
        return line.get();
      } catch (InterruptedException cause) {
        Thread.currentThread().interrupt();
        throw new GoldException("aborted", "The thread was interrupted.");
      }
    }

    void close() {
      onComplete();
      if (subscription != null) subscription.cancel();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      this.subscription = subscription;
      if (received.contains(Optional.<String>empty())) subscription.cancel(); // close() came first
      else subscription.request(1);
    }

    @Override
    public void onNext(String line) {
      received.add(Optional.of(line));
    }

    @Override
    public void onError(Throwable error) {
      onComplete();
    }

    @Override
    public void onComplete() {
      received.add(Optional.empty());
    }
  }
}
