package gold.partner;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Supplier;

/**
 * A stream of the service. Iterate over it, once: the loop waits for each item, and ends when another thread calls
 * {@link #close()}. A stream reconnects by itself after a lost connection, and when the service ends it because of
 * a restart, a time limit or an expired token. If a new connection fails for as long as a call is retried, the loop
 * throws a {@link GoldException}; a new loop over the same stream continues after the last item.
 *
 * @param <T> the type of the items
 */
public final class LiveStream<T> implements Iterable<T>, AutoCloseable {
  static final String MEDIA_TYPE = "text/event-stream";
  /** The service sends a comment every 10 seconds. */
  static final Duration SILENCE_MAX = Duration.ofSeconds(30);

  /** The codes of the reasons after which a new connection would be refused. */
  private static final Map<String, String> FINAL_CODES =
      Map.of("suspended", "partner_suspended", "revoked", "certificate_revoked");

  /** A message of the stream. The name is "message" unless the service gave another one. */
  record Message(String name, byte[] data) {}

  /** The last message of a connection. */
  private record End(String reason) {
    End {
      Json.required(reason, "reason");
    }
  }

  /** Makes an item of a message. Returns null for a message to ignore. */
  @FunctionalInterface
  interface Reader<T> {
    T read(Message message) throws IOException;
  }

  private final Exchange exchange;
  private final Supplier<Call> call;
  private final Reader<T> reader;
  private final Duration silenceMax;
  private volatile LiveBody body;
  private volatile boolean isClosed;
  private BufferedReader lines;
  private int failures;

  LiveStream(Exchange exchange, Supplier<Call> call, Reader<T> reader, Duration silenceMax) {
    this.exchange = exchange;
    this.call = call;
    this.reader = reader;
    this.silenceMax = silenceMax;
  }

  @Override
  public Iterator<T> iterator() {
    return new Iterator<>() {
      private T item;

      @Override
      public boolean hasNext() {
        if (item == null) item = receive();
        return item != null;
      }

      @Override
      public T next() {
        if (!hasNext()) throw new NoSuchElementException();
        T next = item;
        item = null;
        return next;
      }
    };
  }

  /** Ends the stream. */
  @Override
  public void close() {
    isClosed = true;
    if (body != null) body.close();
  }

  /** Returns the next item, or null when the stream is closed. */
  private T receive() {
    while (!isClosed) {
      if (lines == null) connect();
      Message message = nextMessage();
      if (message == null) {
        disconnect();
      } else if (message.name().equals("end")) {
        disconnect();
        end(read(message, end -> Json.read(end.data(), End.class)).reason());
      } else {
        T item = read(message, reader);
        failures = 0;
        if (item != null) return item;
      }
    }
    return null;
  }

  private void connect() {
    if (failures > 0) exchange.settings.sleeper.accept(Exchange.pauseLength(failures, null));
    failures++;
    body = exchange.call(call.get(), reply -> {
      if (reply.live() == null) {
        throw new IOException("Content-Type must be " + MEDIA_TYPE + "; got " + reply.header("Content-Type"));
      }
      LiveBody live = new LiveBody(silenceMax);
      reply.live().subscribe(live);
      return live;
    });
    lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    if (isClosed) body.close();
  }

  private void disconnect() {
    body.close();
    lines = null;
  }

  /** Returns the next message, or null if the connection is lost. */
  private Message nextMessage() {
    String name = "message";
    StringBuilder data = new StringBuilder();
    try {
      for (String line; (line = lines.readLine()) != null;) {
        int colon = line.indexOf(':');
        String value = line.substring(colon + 1).replaceFirst("^ ", "");
        if (line.startsWith("event:")) name = value;
        else if (line.startsWith("data:")) data.append(value).append('\n');
        else if (line.isEmpty() && data.isEmpty()) name = "message";
        else if (line.isEmpty()) return new Message(name, data.toString().getBytes(StandardCharsets.UTF_8));
      }
      return null;
    } catch (InterruptedIOException cause) {
      throw new GoldException("aborted", "The thread was interrupted.");
    } catch (IOException cause) {
      return null;
    }
  }

  private void end(String reason) {
    if (FINAL_CODES.containsKey(reason)) {
      String detail = "The service ended the stream because your access was " + reason + ". Ask the operator.";
      throw new GoldException(FINAL_CODES.get(reason), detail);
    }
    if (reason.equals("token_expired")) exchange.dropToken();
  }

  private static <M> M read(Message message, Reader<M> reader) {
    try {
      return reader.read(message);
    } catch (IOException cause) {
      throw new GoldException("reply_invalid", "A message of the stream does not have the documented form.", cause);
    }
  }
}
