package gold.partner;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The body of a stream. A read fails if no byte arrives within the time limit. HttpClient's own InputStream would
 * wait for ever on a dead connection.
 */
final class LiveBody extends InputStream implements Flow.Subscriber<List<ByteBuffer>> {
  /** What the connection delivered: bytes, or its end with the error that caused it, if any. */
  private record Part(List<ByteBuffer> bytes, Throwable error) {}

  private static final Part END = new Part(null, null);

  private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
  /** The limit for the wait for the next byte. */
  private final Duration limit;
  private volatile Flow.Subscription subscription;
  private List<ByteBuffer> current = List.of();
  private Part last;

  LiveBody(Duration limit) {
    this.limit = limit;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    ByteBuffer next = next();
    if (next == null) return -1;
    int count = Math.min(length, next.remaining());
    next.get(target, offset, count);
    return count;
  }

  @Override
  public int read() throws IOException {
    ByteBuffer next = next();
    return next == null ? -1 : next.get() & 0xff;
  }

  /** Ends the connection, and a read that waits in another thread. */
  @Override
  public void close() {
    if (subscription != null) subscription.cancel();
    parts.add(END);
  }

  private ByteBuffer next() throws IOException {
    while (true) {
      for (ByteBuffer each : current) if (each.hasRemaining()) return each;
      if (last == null) take();
      if (last == null) continue;
      if (last.error() != null) throw new IOException(last.error().getMessage(), last.error());
      return null;
    }
  }

  private void take() throws IOException {
    try {
      Part part = parts.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (part == null) throw new IOException("no byte came within " + limit.toSeconds() + " s");
      if (part.bytes() == null) last = part;
      else {
        current = part.bytes();
        subscription.request(1);
      }
    } catch (InterruptedException cause) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("The thread was interrupted.");
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    subscription.request(1);
  }

  @Override
  public void onNext(List<ByteBuffer> bytes) {
    parts.add(new Part(bytes, null));
  }

  @Override
  public void onError(Throwable error) {
    parts.add(new Part(null, error));
  }

  @Override
  public void onComplete() {
    parts.add(END);
  }
}
