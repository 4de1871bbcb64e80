package gold.partner;

import static gold.partner.Script.problem;
import static gold.partner.Script.refused;
import static gold.partner.Script.reply;
import static gold.partner.Script.reset;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Makes calls over a transport that gives scripted answers. */
class CallsTest {
  private static final String BALANCES =
      "{\"sar\":{\"available\":1,\"held\":0},\"gold\":{\"grams\":1},\"as_of\":\"2026-01-31T09:30:00.000Z\"}";
  private static final String QUOTE = "{\"quote_id\":\"qt_1\",\"side\":\"buy\",\"gold_grams\":1.50,"
      + "\"price_per_gram_sar\":500.0001,\"total_sar\":12345678901234567890.10,\"status\":\"open\","
      + "\"created_at\":\"2026-01-31T09:30:00.000Z\",\"expires_at\":\"2026-01-31T09:31:00.000Z\"}";
  private static final String ORDER = "{\"order_id\":\"ord_1\",\"quote_id\":\"qt_1\",\"side\":\"buy\",\"gold_grams\":1.5,"
      + "\"price_per_gram_sar\":500.0001,\"total_sar\":750.01,\"status\":\"executed\","
      + "\"executed_at\":\"2026-01-31T09:30:00.000Z\",\"later\":{\"member\":1},\"balances\":" + BALANCES + "}";
  private static final String FINAL = "\"retryable\":false";
  private static final String PASSING = "\"retryable\":true";

  private static Api.OrderCreated place(Script script) {
    return script.open().placeOrder(new Api.OrderRequest("qt_1"));
  }

  private static GoldException fails(Executable call) {
    return assertThrows(GoldException.class, call);
  }

  @Test
  void keepsItsKeyAndSignsEachTryAnew() {
    var script = new Script(reset(), problem(504, "upstream_timeout", ""), reply(200, ORDER));
    assertEquals("ord_1", place(script).orderId());
    assertEquals(1, new HashSet<>(script.headers("Idempotency-Key")).size());
    assertEquals(3, new HashSet<>(script.headers("X-Nonce")).size());
    script = new Script(reply(200, ORDER));
    script.open().placeOrder(new Api.OrderRequest("qt_1"), "mine");
    assertEquals(List.of("mine"), script.headers("Idempotency-Key"));
  }

  @Test
  void waitsAsLongAsRetryAfterSays() {
    var script = new Script(
        problem(429, "rate_limited", PASSING, "retry-after", "2"),
        problem(503, "service_unavailable", PASSING, "Retry-After", "Sat, 31 Jan 2026 09:30:01 GMT",
            "Date", "Sat, 31 Jan 2026 09:30:00 GMT"),
        reply(200, ORDER));
    place(script);
    assertEquals(List.of(2L, 1L), script.pauses.stream().map(Duration::toSeconds).toList());
    script = new Script(problem(503, "service_unavailable", PASSING, "Retry-After", "3600"));
    var away = script;
    var error = fails(() -> place(away));
    assertEquals("service_unavailable", error.code());
    assertTrue(error.retryable() && !error.outcomeUnknown() && error.retryAfter().equals(Duration.ofHours(1)));
    assertTrue(error.getMessage().contains("Call again in 3600 s."), error.getMessage());
    assertEquals(1, script.sent.size());
    var never = new Script(problem(503, "service_unavailable", PASSING, "Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT",
        "Date", "Sat, 31 Jan 2026 09:30:00 GMT"));
    assertEquals("service_unavailable", fails(() -> place(never)).code());
  }

  @Test
  void triesNoMoreThanTriesMaxTimes() {
    var script = new Script(reset(), refused(), refused());
    script.settings.triesMax(3);
    var error = fails(() -> place(script));
    assertEquals("connection_failed", error.code());
    assertTrue(error.getMessage().contains("Tried 3 times"), error.getMessage());
  }

  @Test
  void reportsWhetherTheOutcomeIsKnown() {
    var timeout = new HttpTimeoutException("no data");
    var certificate = problem(403, "certificate_revoked", FINAL);
    var cases = List.of(
        Map.entry(List.<Object>of(refused()), false),
        Map.entry(List.<Object>of(reset()), true),
        Map.entry(List.<Object>of(timeout), true),
        Map.entry(List.<Object>of(reset(), refused()), true),
        Map.entry(List.<Object>of(reset(), problem(422, "quote_expired", FINAL)), false),
        Map.entry(List.<Object>of(reset(), certificate), true),
        Map.entry(List.<Object>of(certificate), false),
        Map.entry(List.<Object>of(reset(), problem(404, "not_found", FINAL)), false),
        Map.entry(List.<Object>of(problem(504, "upstream_timeout", "")), true),
        Map.entry(List.<Object>of(problem(409, "nonce_reused", PASSING)), true),
        Map.entry(List.<Object>of(reply(502, "<html>")), true),
        Map.entry(List.<Object>of(reply(302, "", "Location", "https://login.example")), true),
        Map.entry(List.<Object>of(reply(403, "{\"code\":\"blocked\"}")), true),
        Map.entry(List.<Object>of(problem(500, "gold_is_molten", FINAL)), true),
        Map.entry(List.<Object>of(problem(422, "gold_is_tired", FINAL)), false),
        Map.entry(List.<Object>of(reset(), problem(422, "gold_is_tired", FINAL)), true));
    for (var each : cases) {
      var script = new Script(each.getKey().toArray());
      script.settings.triesMax(each.getKey().size());
      var error = fails(() -> place(script));
      assertEquals(each.getValue(), error.outcomeUnknown(), each.toString());
      assertEquals(script.headers("Idempotency-Key").get(0), error.idempotencyKey());
      assertEquals(each.getValue(), error.getMessage().contains(error.idempotencyKey()));
    }
  }

  @Test
  void doesNotRetryWhatCannotSucceedSoon() {
    var untrusted = new SSLException("Received fatal alert: unknown_ca");
    var cases = Map.of("market_closed", problem(422, "market_closed", PASSING),
        "invalid_request", problem(400, "invalid_request", FINAL), "tls_failed", untrusted);
    cases.forEach((code, answer) -> {
      var script = new Script(answer);
      assertEquals(code, fails(() -> place(script)).code());
      assertEquals(1, script.sent.size());
    });
  }

  @Test
  void fetchesOneNewTokenAfterARefusedOne() {
    for (String code : List.of("token_invalid", "token_expired")) {
      var script = new Script(problem(401, code, ""), reply(200, ORDER));
      script.settings.triesMax(1);
      place(script);
      assertEquals(List.of("Bearer token-1", "Bearer token-2"), script.headers("Authorization"));
    }
    var script = new Script(problem(401, "token_invalid", ""), problem(401, "token_invalid", ""));
    assertEquals("token_invalid", fails(() -> place(script)).code());
    assertEquals(2, script.tokens);
  }

  @Test
  void namesTheOffsetOfAWrongClock() {
    var script =
        new Script(problem(401, "timestamp_out_of_window", "", "Date", "Sat, 31 Jan 2026 09:30:00 GMT"));
    script.settings.clock = Clock.fixed(Instant.parse("2026-01-31T09:23:59Z"), ZoneOffset.UTC);
    var client = script.open();
    var error = fails(() -> client.placeOrder(new Api.OrderRequest("qt_1")));
    String says = ".*clock is 36[12] s behind the service's.*within 300 s.*NTP.*";
    assertTrue(error.detail().matches(says), error.detail());
    assertTrue(client.clockOffsetSeconds().getAsLong() <= -361);
    assertEquals(1, script.sent.size());
  }

  @Test
  void sendsNothingWithAnInvalidArgument() {
    Function<String, BigDecimal> exact = BigDecimal::new;
    var calls = List.<Function<GoldClient, Object>>of(
        client -> client.getOrder(".."),
        client -> client.getOrder("ord_1/../../health"),
        client -> client.getOrder(null),
        client -> client.createQuote(new Api.QuoteRequest("buy").goldGrams(exact.apply("1.00001"))),
        client -> client.createQuote(new Api.QuoteRequest("buy").goldGrams(exact.apply("-1"))),
        client -> client.createQuote(new Api.QuoteRequest(null)),
        client -> client.createQuote(null),
        client -> client.placeOrder(new Api.OrderRequest("qt_1"), "two words"),
        client -> client.placeOrder(new Api.OrderRequest("qt_1"), ""));
    for (var call : calls) {
      var script = new Script();
      assertEquals("argument_invalid", fails(() -> call.apply(script.open())).code());
      assertEquals(0, script.sent.size() + script.tokens);
    }
    var script = new Script();
    var client = script.open();
    client.close();
    assertEquals("argument_invalid", fails(client::getPrices).code());
  }

  @Test
  void writesAndReadsExactQuantities() {
    var written = Map.of("1.50", "1.5", "1E+3", "1000", "7", "7", "0.0001", "0.0001");
    written.forEach((given, sent) -> {
      var script = new Script(reply(201, QUOTE));
      var quote = script.open().createQuote(new Api.QuoteRequest("buy").goldGrams(new BigDecimal(given)));
      assertEquals("{\"side\":\"buy\",\"gold_grams\":" + sent + "}", script.body());
      assertEquals(new BigDecimal("12345678901234567890.10"), quote.totalSar());
      assertEquals(Instant.parse("2026-01-31T09:31:00Z"), quote.expiresAt());
    });
  }

  @Test
  void refusesASuccessInAnotherForm() {
    var lacking = ORDER.replace("\"status\":\"executed\",", "");
    var twice = ORDER.replaceFirst("}$", ",\"status\":\"executed\"}");
    for (String body : List.of("{\"hello\":1}", "[]", "null", "", "<html>", lacking, twice, "{\"total_sar\":NaN}")) {
      var script = new Script(reply(201, body, "X-Request-Id", "req_2"));
      var error = fails(() -> place(script));
      assertEquals("reply_invalid 201 req_2", error.code() + " " + error.status() + " " + error.requestId(), body);
      assertTrue(error.outcomeUnknown() && error.retryable(), body);
    }
    var script = new Script(reply(200, "{}"));
    assertFalse(fails(() -> script.open().listOrders().iterator().next()).outcomeUnknown());
    var csv = new Script(reply(200, "<html>", "Content-Type", "text/html"));
    var days = new Api.StatementQuery(LocalDate.parse("2026-01-01"), LocalDate.parse("2026-01-31"));
    assertEquals("reply_invalid", fails(() -> csv.open().getStatementCsv(days)).code());
    assertEquals("from=2026-01-01&to=2026-01-31", csv.sent.get(0).uri().getRawQuery());
  }

  @Test
  void readsAllPagesAndSendsThePartnersOwnTexts() {
    var script = new Script(reply(200, "{\"items\":[" + ORDER + "," + ORDER + "],\"next_cursor\":\"c\"}"),
        reply(200, "{\"items\":[],\"next_cursor\":\"d\"}"),
        reply(200, "{\"items\":[" + ORDER + "],\"next_cursor\":null}"));
    var query = new Api.FilteredListQuery().reference("A \"b\" ٦").accountLabel("Desk 1+1").limit(2);
    assertEquals(3, script.open().listOrders(query).stream().count());
    var empty = new Script(reply(200, "{\"items\":[],\"next_cursor\":null}"));
    assertEquals(0, empty.open().listOrders(null).stream().count());
    String texts = "account_label=Desk%201%2B1&%slimit=2&reference=A%20%22b%22%20%D9%A6";
    var queries = script.sent.stream().map(request -> request.uri().getRawQuery()).toList();
    assertEquals(List.of(texts.replace("%s", ""), texts.replace("%s", "cursor=c&"), texts.replace("%s", "cursor=d&")),
        queries);
  }

  @Test
  void reportsAMissingKeyAndWhySigningFailed() {
    var script = new Script();
    script.settings.signer(null);
    assertEquals("configuration_invalid", fails(() -> place(script)).code());
    script.settings.signer(data -> {
      throw new IOException("the HSM is offline");
    });
    var error = fails(() -> place(script));
    assertEquals("signing_failed", error.code());
    assertTrue(error.getMessage().contains("the HSM is offline"));
    script.settings.signer(data -> new byte[71]);
    assertTrue(fails(() -> place(script)).getMessage().contains("not DER; got 71 bytes"));
    assertEquals(0, script.sent.size());
  }

  @Test
  void reportsEveryTryAndNeverASecret() {
    var script = new Script(reset(), reply(201, ORDER, "X-Request-Id", "req_2"));
    place(script);
    var observed = script.reports.stream().map(each -> each.operation() + " " + each.tries() + " " + each.status() + " "
        + each.code() + " " + each.requestId());
    assertEquals(List.of("issueToken 1 200 null null", "createOrder 1 0 connection_failed null",
        "createOrder 2 201 null req_2"), observed.toList());
    assertFalse(script.reports.toString().matches(".*(token-1|secret|qt_1).*"));
    assertFalse(script.settings.toString().contains("secret"));
  }

  @Test
  void endsACallWhoseThreadIsInterrupted() {
    var script = new Script(reset());
    script.settings.sleeper = (pause, end) -> Thread.currentThread().interrupt();
    var error = fails(() -> place(script));
    assertTrue(Thread.interrupted());
    assertEquals("aborted true", error.code() + " " + error.outcomeUnknown());
    assertEquals(1, script.sent.size());
    Thread.currentThread().interrupt();
    error = fails(() -> place(new Script()));
    assertTrue(Thread.interrupted());
    assertEquals("aborted false", error.code() + " " + error.outcomeUnknown());
  }

  @Test
  void listsEveryMistakeInTheSettings() {
    var settings = new Settings("https://gold.example/v1", "", "secret").triesMax(0).kid("")
        .signingKey(Path.of("missing.key"));
    String detail = fails(settings::checked).detail();
    for (String name : List.of("base_url", "client_id", "triesMax", "kid", "signing_key")) {
      assertTrue(detail.contains(name + " "), detail);
    }
    var error = fails(() -> Settings.fromEnv(Map.of("GOLD_BASE_URL", "https://gold.example")).checked());
    assertTrue(error.detail().contains("client_id (GOLD_CLIENT_ID)"), error.detail());
  }

  @Test
  void readsAWebhookOfALaterType() {
    String secret = "whsec_paWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaU=";
    String later = "{\"type\":\"vault.audited\",\"id\":\"evt_1\",\"sequence\":4,"
        + "\"created_at\":\"2026-01-31T09:30:00.000Z\",\"data\":{\"vault\":{},\"chain_head\":\"00\"}}";
    byte[] body = later.getBytes(StandardCharsets.UTF_8);
    long now = Instant.now().getEpochSecond();
    for (String id : List.of("evt_1", "evt_2")) {
      var headers = Map.of("webhook-id", id, "webhook-timestamp", "" + now,
          "webhook-signature", Webhooks.sign(secret, id, now, body));
      if (id.equals("evt_1")) {
        var webhook = Webhooks.verify(body, headers::get, List.of(secret));
        assertEquals("vault.audited 4", webhook.event().type() + " " + webhook.event().sequence());
      } else {
        var error = assertThrows(WebhookVerificationException.class,
            () -> Webhooks.verify(body, headers::get, List.of(secret)));
        assertEquals("event_invalid", error.code());
      }
    }
  }
}
