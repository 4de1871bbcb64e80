package gold.partner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Follows the streams of a server on this machine, over mutual TLS. */
@Timeout(60)
class StreamsTest {
  private StreamServer server;
  private GoldClient client;

  @BeforeEach
  void open(@TempDir Path folder) throws Exception {
    server = new StreamServer(folder);
    Settings settings = server.settings();
    settings.silenceMax = Duration.ofMillis(700);
    client = new GoldClient(settings);
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private static String event(int sequence) {
    return """
        id: %1$d
        data: {"type":"webhook.test","id":"evt_%1$d","sequence":%1$d,"created_at":"2026-01-31T09:30:00.000Z",
        data: "data":{"chain_head":"é"}}

        """.formatted(sequence);
  }

  private static String end(String reason) {
    return "event: end\ndata: {\"reason\":\"" + reason + "\"}\n\n";
  }

  private static String price(String buy) {
    return "data: {\"currency\":\"SAR\",\"unit\":\"gram\",\"purity\":\"24K\",\"buy_price\":" + buy
        + ",\"sell_price\":498.5,\"as_of\":\"2026-01-31T09:30:00.000Z\",\"market\":\"open\"}\n\n";
  }

  /** Takes the sequences of this many events. */
  private static List<Long> take(Iterable<Api.WebhookEvent> events, int count) {
    List<Long> sequences = new ArrayList<>();
    var iterator = events.iterator();
    while (sequences.size() < count) sequences.add(iterator.next().sequence());
    return sequences;
  }

  private List<String> targets() {
    return server.requests.stream().map(request -> request.split(" ")[0]).filter(one -> !one.equals("token")).toList();
  }

  /** The token of each request for a stream. */
  private List<String> tokens() {
    return server.requests.stream().filter(one -> !one.equals("token")).map(one -> one.split(" ")[2]).toList();
  }

  @Test
  void deliversPricesAndSaysWhenThereIsNone() {
    server.thenHold(": ping\n\nretry: 5\nevent: later\ndata: {}\n\nevent: end\n\n" + price("501.50")
        + "event: unavailable\r\ndata: {\"code\":\"price_unavailable\"}\r\n\r\n" + price("502"));
    try (var updates = client.streamPrices()) {
      var iterator = updates.iterator();
      var first = iterator.next();
      assertEquals(new BigDecimal("501.50"), first.orElseThrow().buyPrice());
      assertTrue(iterator.next().isEmpty());
      assertEquals(new BigDecimal("502"), iterator.next().orElseThrow().buyPrice());
    }
    assertEquals(List.of("token", "/v1/prices/stream Bearer token-1 text/event-stream"), server.requests);
  }

  @Test
  void resumesAfterTheLastEventHoweverTheConnectionEnds() {
    server.then(event(5) + event(6) + end("drain"))
        .then(event(7) + end("time_limit"))
        .then(event(8) + event(9).substring(0, 40)) // lost in the middle of a message
        .thenRefuse(503, "{\"code\":\"service_unavailable\",\"request_id\":\"req_1\",\"retryable\":true}")
        .thenHold(event(9));
    try (var events = client.streamEvents(4)) {
      assertEquals(List.of(5L, 6L, 7L, 8L, 9L), take(events, 5));
    }
    var stream = "/v1/events/stream?after=";
    assertEquals(List.of(stream + 4, stream + 6, stream + 7, stream + 8, stream + 8), targets());
  }

  @Test
  void ignoresAMessageThatWasCutOff() {
    String whole = event(1);
    for (int end = whole.indexOf('\n'); end >= 0; end = whole.indexOf('\n', end + 1)) {
      server.then(whole.substring(0, end));
      if (end + 1 < whole.length()) server.then(whole.substring(0, end + 1));
    }
    server.thenHold(whole);
    try (var events = client.streamEvents(0)) {
      assertEquals(List.of(1L), take(events, 1));
    }
    assertEquals(8, targets().size());
  }

  @Test
  void throwsWhenItsThreadIsInterrupted() {
    server.thenHold(event(1));
    try (var events = client.streamEvents(0)) {
      var iterator = events.iterator();
      assertEquals(1, iterator.next().sequence());
      Thread.currentThread().interrupt();
      assertEquals("aborted", assertThrows(GoldException.class, iterator::hasNext).code());
      assertTrue(Thread.interrupted());
    }
  }

  @Test
  void losesNoEventWhenItsThreadIsInterruptedWithinAMessage() {
    String second = event(2);
    server.thenHold(event(1) + second.substring(0, second.length() - 1)).thenHold(second);
    // Silence alone would reconnect after 30 s.
    try (var patient = new GoldClient(server.settings()); var events = patient.streamEvents(0)) {
      var iterator = events.iterator();
      assertEquals(1, iterator.next().sequence());
      Thread waiting = Thread.currentThread();
      CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS).execute(waiting::interrupt);
      assertEquals("aborted", assertThrows(GoldException.class, iterator::hasNext).code());
      assertTrue(Thread.interrupted());
      assertTimeoutPreemptively(Duration.ofSeconds(10), () -> assertEquals(List.of(2L), take(events, 1)));
    }
    assertEquals(List.of("/v1/events/stream?after=0", "/v1/events/stream?after=1"), targets());
  }

  @Test
  void endsWhenItIsClosedWhileItReconnects() {
    server.then(event(1));
    Settings settings = server.settings();
    LiveStream<?>[] opened = new LiveStream<?>[1];
    settings.sleeper = (length, end) -> opened[0].close();
    String away = "{\"code\":\"service_unavailable\",\"request_id\":\"req_1\",\"retryable\":true}";
    server.thenRefuse(503, away).thenRefuse(503, away).thenRefuse(503, away);
    try (var closing = new GoldClient(settings); var events = closing.streamEvents(0)) {
      opened[0] = events;
      var iterator = events.iterator();
      assertEquals(1, iterator.next().sequence());
      assertFalse(iterator.hasNext());
    }
  }

  @Test
  void reconnectsWhenNoByteComes() {
    server.thenHold(event(1)).thenHold(event(2));
    try (var events = client.streamEvents(0)) {
      assertTimeoutPreemptively(Duration.ofSeconds(10), () -> assertEquals(List.of(1L, 2L), take(events, 2)));
    }
    assertEquals(List.of("/v1/events/stream?after=0", "/v1/events/stream?after=1"), targets());
  }

  @Test
  void renewsAnExpiredToken() {
    server.then(event(1) + end("token_expired"))
        .thenRefuse(401, "{\"code\":\"token_expired\",\"request_id\":\"req_1\"}")
        .thenHold(event(2));
    try (var events = client.streamEvents(0)) {
      assertEquals(List.of(1L, 2L), take(events, 2));
    }
    assertEquals(List.of("token-1", "token-1", "token-2"), tokens());
  }

  @Test
  void throwsTheRefusalAfterTheServiceEndsIt() {
    for (String[] each : new String[][] {{"suspended", "partner_suspended"}, {"revoked", "ip_not_allowed"}}) {
      server.then(event(1) + end(each[0]))
          .thenRefuse(403, "{\"code\":\"" + each[1] + "\",\"request_id\":\"req_1\",\"retryable\":false}");
      try (var events = client.streamEvents(0)) {
        var error = assertThrows(GoldException.class, () -> take(events, 2));
        assertEquals(each[1] + " 403 req_1 false",
            error.code() + " " + error.status() + " " + error.requestId() + " " + error.retryable());
      }
    }
    var stream = "/v1/events/stream?after=";
    assertEquals(List.of(stream + 0, stream + 1, stream + 0, stream + 1), targets());
  }

  @Test
  void goesOnWithANewTokenAfterTheServiceRevokesTheOldOne() {
    server.then(event(1) + end("revoked"))
        .thenRefuse(401, "{\"code\":\"token_invalid\",\"request_id\":\"req_1\"}")
        .then(event(2) + end("a later reason"))
        .thenHold(event(3));
    try (var events = client.streamEvents(0)) {
      assertEquals(List.of(1L, 2L, 3L), take(events, 3));
    }
    assertEquals(List.of("token-1", "token-1", "token-2", "token-2"), tokens());
  }

  @Test
  void waitsLongerOnlyWhileConnectionsEndBeforeACommentOrData() {
    for (String text : List.of("", "retry: 1000\n\nid: 1\n\n", end("drain"), ": ping\n\n", event(1))) {
      for (int connection = 0; connection < 12; connection++) server.then(text);
      List<Duration> pauses = new ArrayList<>();
      Settings settings = server.thenHold(event(2)).settings();
      settings.sleeper = (length, end) -> pauses.add(length);
      boolean isAlive = text.startsWith(":") || text.equals(event(1));
      try (var waiting = new GoldClient(settings); var events = waiting.streamEvents(0)) {
        var iterator = events.iterator();
        while (iterator.next().sequence() != 2) {}
      }
      assertEquals(12, pauses.size());
      // Pauses are random. The chance that 12 growing pauses all have at most 200 ms is below 10^-12.
      assertEquals(isAlive, Collections.max(pauses).toMillis() <= 200, text);
    }
  }

  @Test
  void outlastsAnyOutageWithPausesOfUpTo10Seconds() {
    String away = "{\"code\":\"internal_error\",\"request_id\":\"req_1\",\"retryable\":false}";
    server.then(event(1));
    for (int round = 0; round < 20; round++) {
      server.thenRefuse(500, away).thenRefuse(502, "<html>").thenRefuse(501, "").thenRefuse(408, "")
          .thenRefuse(429, "{\"code\":\"rate_limited\",\"request_id\":\"req_1\"}")
          .thenRefuse(401, "{\"code\":\"token_expired\",\"request_id\":\"req_1\"}").then("");
    }
    List<Duration> pauses = new ArrayList<>();
    Settings settings = server.thenHold(event(2)).settings();
    settings.sleeper = (length, end) -> pauses.add(length);
    try (var patient = new GoldClient(settings); var events = patient.streamEvents(0)) {
      assertEquals(List.of(1L, 2L), take(events, 2));
    }
    assertEquals("/v1/events/stream?after=1", targets().get(targets().size() - 1));
    assertEquals(1 + 20 * 7, pauses.size());
    long longest = Collections.max(pauses).toMillis();
    assertTrue(longest > 6_400 && longest <= 10_000, longest + " ms");
  }

  @Test
  void endsAtOnceWhenItIsClosedDuringAPause() throws Exception {
    server.then(event(1)).thenRefuse(503, "");
    Settings settings = server.settings();
    var pausing = new CountDownLatch(1);
    settings.sleeper = (length, end) -> {
      if (length.isZero()) return;
      pausing.countDown();
      Exchange.sleep(Duration.ofMinutes(1), end);
    };
    try (var waiting = new GoldClient(settings); var events = waiting.streamEvents(0)) {
      var iterator = events.iterator();
      assertEquals(1, iterator.next().sequence());
      CompletableFuture.runAsync(() -> {
        try {
          pausing.await();
        } catch (InterruptedException cause) {
          Thread.currentThread().interrupt();
        }
        events.close();
      });
      assertTimeoutPreemptively(Duration.ofSeconds(20), () -> assertFalse(iterator.hasNext()));
    }
  }

  @Test
  void endsWhenAnotherThreadClosesIt() throws Exception {
    server.thenHold(event(1));
    var events = client.streamEvents(0);
    var iterator = events.iterator();
    assertEquals(1, iterator.next().sequence());
    var closing = new Thread(events::close);
    closing.start();
    assertTimeoutPreemptively(Duration.ofSeconds(5), () -> assertFalse(iterator.hasNext()));
    closing.join();
  }

  @Test
  void refusesAReplyThatIsNoStream() {
    server.thenRefuse(404, "<html>");
    var events = client.streamEvents(0);
    assertEquals("reply_invalid", assertThrows(GoldException.class, () -> take(events, 1)).code());
    server.then("data: []\n\n");
    assertEquals("reply_invalid", assertThrows(GoldException.class, () -> take(events, 1)).code());
  }
}
