package gold.partner;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Calls the service for one partner. It handles mutual TLS, tokens, signatures and retries. Threads can share one
 * client. Every call that fails throws a {@link GoldException}.
 *
 * <pre>{@code
 * try (var client = GoldClient.fromEnv()) {
 *   var quote = client.createQuote(new QuoteRequest("buy").goldGrams(new BigDecimal("1.5")));
 *   var order = client.placeOrder(new OrderRequest(quote.quoteId()));
 * }
 * }</pre>
 */
public final class GoldClient extends Operations implements AutoCloseable {
  private final Exchange exchange;

  /**
   * Opens a client. It sends nothing yet.
   *
   * @param settings the service's URL, the credentials and the limits
   * @throws GoldException {@code configuration_invalid}, which lists all mistakes in the settings
   */
  public GoldClient(Settings settings) {
    exchange = new Exchange(settings);
  }

  /** Opens a client with the settings that environment variables name: see {@link Settings#fromEnv()}. */
  public static GoldClient fromEnv() {
    return new GoldClient(Settings.fromEnv());
  }

  /**
   * Closes the client. A call after that throws a GoldException {@code argument_invalid}. An
   * open stream goes on until it reconnects. Its loop then throws the same exception.
   */
  @Override
  public void close() {
    exchange.isClosed = true;
  }

  /** Seconds that this machine's clock is ahead of the service's. Empty before the first reply. */
  public OptionalLong clockOffsetSeconds() {
    return exchange.clockOffsetSeconds;
  }

  /**
   * Fetches the statement of {@link #getStatement} as CSV text.
   *
   * @param query the first and the last day, both included, in Asia/Riyadh
   * @return the text
   */
  public String getStatementCsv(Api.StatementQuery query) {
    Call call = Call.get("getStatement", Call.target("/v1/statement", query)).accepting("text/csv");
    return exchange.call(call, reply -> {
      if (reply.hasType("text/csv")) return new String(reply.body(), StandardCharsets.UTF_8);
      throw new IOException("Content-Type must be text/csv; got " + reply.header("Content-Type"));
    });
  }

  /**
   * Follows the prices. The first item has the prices of now. An item is empty while there is no fresh price.
   *
   * @return the prices
   */
  public LiveStream<Optional<Api.Prices>> streamPrices() {
    return new LiveStream<>(exchange, "streamPrices", () -> "/v1/prices/stream", message -> switch (message.name()) {
      case "message" -> Optional.of(Json.read(message.data(), Api.Prices.class));
      case "unavailable" -> Optional.empty();
      default -> null;
    });
  }

  /**
   * Follows your events. No event is left out or repeated, also when the stream reconnects. To continue after your
   * program has ended, store the sequence of each event that you have processed.
   *
   * @param after the sequence of the last event that you have; 0 for all events
   * @return the events, in the order of their sequence
   */
  public LiveStream<Api.WebhookEvent> streamEvents(long after) {
    AtomicLong last = new AtomicLong(after);
    return new LiveStream<>(exchange, "streamEvents", () -> "/v1/events/stream?after=" + last, message -> {
      if (!message.name().equals("message")) return null;
      Api.WebhookEvent event = Json.read(message.data(), Api.WebhookEvent.class);
      last.set(event.sequence());
      return event;
    });
  }

  @Override
  <T> T call(Call call, Class<T> type) {
    return exchange.call(call, reply -> Json.read(reply.body(), type));
  }

  @Override
  <T> Listing<T> list(
      String operation, String path, String next, Object query, Class<? extends Api.Page<T>> type) {
    Function<String, Api.Page<T>> fetch = cursor -> {
      Map<String, String> texts = Json.texts(query);
      if (cursor != null) texts.put(next, cursor);
      return call(Call.get(operation, Call.target(path, texts)), type);
    };
    return () -> Stream.iterate(fetch.apply(null), Objects::nonNull,
        page -> page.nextCursor() == null ? null : fetch.apply(page.nextCursor()))
        .flatMap(page -> page.items().stream());
  }
}
