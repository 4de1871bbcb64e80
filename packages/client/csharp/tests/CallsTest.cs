using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using static GoldPartner.Tests.Check;
using static GoldPartner.Tests.Script;

namespace GoldPartner.Tests {
  /// <summary>Makes calls over a handler that gives scripted answers.</summary>
  internal static class CallsTest {
    private const string Balances =
      "{\"sar\":{\"available\":1,\"held\":0},\"gold\":{\"grams\":1},\"as_of\":\"2026-01-31T09:30:00.000Z\"}";
    private const string Quote = "{\"quote_id\":\"qt_1\",\"side\":\"buy\",\"gold_grams\":1.50,"
      + "\"price_per_gram_sar\":500.0001,\"total_sar\":12345678901234567890.10,\"status\":\"open\","
      + "\"created_at\":\"2026-01-31T09:30:00.000Z\",\"expires_at\":\"2026-01-31T09:31:00.000Z\"}";
    private const string Order = "{\"order_id\":\"ord_1\",\"quote_id\":\"qt_1\",\"side\":\"buy\",\"gold_grams\":1.5,"
      + "\"price_per_gram_sar\":500.0001,\"total_sar\":750.01,\"status\":\"executed\","
      + "\"executed_at\":\"2026-01-31T09:30:00.000Z\",\"later\":{\"member\":1},\"balances\":" + Balances + "}";
    private const string Final = "\"retryable\":false";
    private const string Passing = "\"retryable\":true";

    private static Task<OrderCreated> PlaceAsync(Script script, CancellationToken token = default) =>
      script.Open().PlaceOrderAsync(new OrderRequest("qt_1"), null, token);

    [Test]
    public static async Task KeepsItsKeyAndSignsEachTryAnew() {
      var script = new Script(Reset, Problem(504, "upstream_timeout"), Reply(200, Order));
      Equal("ord_1", (await PlaceAsync(script)).OrderId);
      Equal(1, script.Headers("Idempotency-Key").Distinct().Count());
      Equal(3, script.Headers("X-Nonce").Distinct().Count());
      script = new Script(Reply(200, Order));
      await script.Open().PlaceOrderAsync(new OrderRequest("qt_1"), "mine");
      Equal("mine", script.Headers("Idempotency-Key").Single());
    }

    [Test]
    public static async Task WaitsAsLongAsRetryAfterSays() {
      var script = new Script(Problem(429, "rate_limited", Passing, "retry-after", "2"),
        Problem(503, "service_unavailable", Passing, "Retry-After", "Sat, 31 Jan 2026 09:30:01 GMT",
          "Date", "Sat, 31 Jan 2026 09:30:00 GMT"),
        Reply(200, Order));
      await PlaceAsync(script);
      Equal("2 1", string.Join(" ", script.Pauses.Select(pause => (int)pause.TotalSeconds)));
      script = new Script(Problem(503, "service_unavailable", Passing, "Retry-After", "3600"));
      var error = await FailsAsync(() => PlaceAsync(script));
      Equal("service_unavailable", error.Code);
      True(error.Retryable && !error.OutcomeUnknown && error.RetryAfter == TimeSpan.FromHours(1));
      True(error.Message.Contains("Call again in 3600 s."), error.Message);
      Equal(1, script.Sent.Count);
      script = new Script(Problem(503, "service_unavailable", Passing, "Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT",
        "Date", "Sat, 31 Jan 2026 09:30:00 GMT"));
      Equal("service_unavailable", (await FailsAsync(() => PlaceAsync(script))).Code);
    }

    [Test]
    public static async Task TriesNoMoreThanTriesMaxTimes() {
      var script = new Script(Reset, Refused, Refused);
      script.Settings.TriesMax = 3;
      var error = await FailsAsync(() => PlaceAsync(script));
      Equal("connection_failed", error.Code);
      True(error.Message.Contains("Tried 3 times"), error.Message);
    }

    [Test]
    public static async Task ReportsWhetherTheOutcomeIsKnown() {
      var certificate = Problem(403, "certificate_revoked", Final);
      var cases = new (bool IsUnknown, Func<HttpResponseMessage>[] Answers)[] {
        (false, new Func<HttpResponseMessage>[] { Refused }),
        (true, new Func<HttpResponseMessage>[] { Reset }),
        (true, new Func<HttpResponseMessage>[] { Reset, Refused }),
        (true, new Func<HttpResponseMessage>[] { Cut, Refused }),
        (false, new[] { Reset, Problem(422, "quote_expired", Final) }),
        (true, new[] { Reset, certificate }),
        (false, new[] { certificate }),
        (false, new[] { Reset, Problem(404, "not_found", Final) }),
        (true, new[] { Problem(504, "upstream_timeout") }),
        (true, new[] { Problem(409, "nonce_reused", Passing) }),
        (true, new[] { Reply(502, "<html>") }),
        (true, new[] { Reply(302, "", "Location", "https://login.example") }),
        (true, new[] { Reply(403, "{\"code\":\"blocked\"}") }),
        (true, new[] { Problem(500, "gold_is_molten", Final) }),
        (false, new[] { Problem(422, "gold_is_tired", Final) }),
        (true, new[] { Reset, Problem(422, "gold_is_tired", Final) }),
      };
      for (var at = 0; at < cases.Length; at++) {
        var script = new Script(cases[at].Answers);
        script.Settings.TriesMax = cases[at].Answers.Length;
        var error = await FailsAsync(() => PlaceAsync(script));
        Equal(cases[at].IsUnknown, error.OutcomeUnknown, $"case {at}");
        Equal(script.Headers("Idempotency-Key")[0], error.IdempotencyKey);
        Equal(cases[at].IsUnknown, error.Message.Contains(error.IdempotencyKey!), $"case {at}");
      }
    }

    [Test]
    public static async Task DoesNotRetryWhatCannotSucceedSoon() {
      var cases = new Dictionary<string, Func<HttpResponseMessage>> {
        ["market_closed"] = Problem(422, "market_closed", Passing),
        ["invalid_request"] = Problem(400, "invalid_request", Final),
        ["tls_failed"] = Untrusted,
      };
      foreach (var (code, answer) in cases) {
        var script = new Script(answer);
        Equal(code, (await FailsAsync(() => PlaceAsync(script))).Code);
        Equal(1, script.Sent.Count);
      }
    }

    [Test]
    public static async Task FetchesOneNewTokenAfterARefusedOne() {
      foreach (var code in new[] { "token_invalid", "token_expired" }) {
        var script = new Script(Problem(401, code), Reply(200, Order));
        script.Settings.TriesMax = 1;
        await PlaceAsync(script);
        Equal("Bearer token-1 Bearer token-2", string.Join(" ", script.Headers("Authorization")));
      }
      var refused = new Script(Problem(401, "token_invalid"), Problem(401, "token_invalid"));
      Equal("token_invalid", (await FailsAsync(() => PlaceAsync(refused))).Code);
      Equal(2, refused.Tokens);
    }

    [Test]
    public static async Task FetchesOneTokenForAllCalls() {
      var script = new Script(Enumerable.Repeat(Reply(200, Order), 20).ToArray());
      var client = script.Open();
      await Task.WhenAll(Enumerable.Range(0, 20).Select(each => client.GetOrderAsync("ord_1")));
      Equal(1, script.Tokens);
    }

    [Test]
    public static async Task NamesTheOffsetOfAWrongClock() {
      var script = new Script(Problem(401, "timestamp_out_of_window", "", "Date", "Sat, 31 Jan 2026 09:30:00 GMT"));
      script.Settings.Now = () => DateTimeOffset.Parse("2026-01-31T09:23:59Z");
      var client = script.Open();
      var error = await FailsAsync(() => client.PlaceOrderAsync(new OrderRequest("qt_1")));
      True(Regex.IsMatch(error.Detail, "clock is 36[12] s behind the service's.*within 300 s.*NTP"), error.Detail);
      True(client.ClockOffsetSeconds <= -361);
      Equal(1, script.Sent.Count);
    }

    [Test]
    public static async Task SendsNothingWithAnInvalidArgument() {
      var calls = new Func<GoldClient, Task>[] {
        client => client.GetOrderAsync(".."),
        client => client.GetOrderAsync("ord_1/../../health"),
        client => client.GetOrderAsync("ord_١"),
        client => client.GetOrderAsync("ord_1\n"),
        client => client.GetOrderAsync(null!),
        client => client.CreateQuoteAsync(new QuoteRequest("buy") { GoldGrams = 1.00001m }),
        client => client.CreateQuoteAsync(new QuoteRequest("buy") { GoldGrams = -1 }),
        client => client.CreateQuoteAsync(new QuoteRequest(null!)),
        client => client.CreateQuoteAsync(null!),
        client => client.PlaceOrderAsync(new OrderRequest("qt_1"), "two words"),
        client => client.PlaceOrderAsync(new OrderRequest("qt_1"), ""),
      };
      foreach (var call in calls) {
        var script = new Script();
        var started = call(script.Open()); // does not throw
        Equal("argument_invalid", (await FailsAsync(() => started)).Code);
        Equal(0, script.Sent.Count + script.Tokens);
      }
      var disposed = new Script().Open();
      disposed.Dispose();
      Equal("argument_invalid", (await FailsAsync(() => disposed.GetPricesAsync())).Code);
    }

    [Test]
    public static async Task WritesAndReadsExactQuantities() {
      foreach (var (given, sent) in new[] { (1.50m, "1.5"), (1000m, "1000"), (7.0000m, "7"), (0.0001m, "0.0001") }) {
        var script = new Script(Reply(201, Quote));
        var quote = await script.Open().CreateQuoteAsync(new QuoteRequest("buy") { GoldGrams = given });
        Equal($"{{\"side\":\"buy\",\"gold_grams\":{sent}}}", script.Bodies[0]);
        Equal("12345678901234567890.10", FormattableString.Invariant($"{quote.TotalSar}"));
        Equal(DateTimeOffset.Parse("2026-01-31T09:31:00Z"), quote.ExpiresAt);
      }
    }

    [Test]
    public static async Task RefusesASuccessInAnotherForm() {
      var bodies = new[] {
        "{\"hello\":1}", "[]", "null", "", "<html>", "{\"total_sar\":NaN}", "{\"order_id\":\"\\ud800\"}",
        Order.Replace("\"status\":\"executed\",", ""), Order[..^1] + ",\"status\":\"executed\"}", Order + "1",
        Order.Replace("750.01", "750.0100000000000000000000000000001"), Order.Replace("750.01", "75001e-30"),
        Order.Replace("750.01", "\"750.01\""), Order.Replace("750.01", "1e40"), Order.Replace("T09", " 09"),
      };
      foreach (var body in bodies) {
        var script = new Script(Reply(201, body, "X-Request-Id", "req_2"));
        var error = await FailsAsync(() => PlaceAsync(script));
        Equal("reply_invalid 201 req_2", $"{error.Code} {error.Status} {error.RequestId}", body);
        True(error.OutcomeUnknown && error.Retryable, body);
      }
      var read = new Script(Reply(200, "{}"));
      True(!(await FailsAsync(async () => {
        await foreach (var order in read.Open().ListOrdersAsync()) { }
      })).OutcomeUnknown);
      var csv = new Script(Reply(200, "<html>", "Content-Type", "text/html"));
      var days = new StatementQuery(new DateTime(2026, 1, 1), new DateTime(2026, 1, 31));
      Equal("reply_invalid", (await FailsAsync(() => csv.Open().GetStatementCsvAsync(days))).Code);
      Equal("?from=2026-01-01&to=2026-01-31", csv.Sent[0].RequestUri.Query);
    }

    [Test]
    public static async Task ReadsAllPagesAndSendsThePartnersOwnTexts() {
      var script = new Script(Reply(200, $"{{\"items\":[{Order},{Order}],\"next_cursor\":\"c\"}}"),
        Reply(200, "{\"items\":[],\"next_cursor\":\"d\"}"),
        Reply(200, $"{{\"items\":[{Order}],\"next_cursor\":null}}"));
      var query = new FilteredListQuery {
        Reference = "A \"b\" ٦", AccountLabel = "Desk 1+1", Limit = 2,
        CreatedAfter = new DateTimeOffset(2026, 1, 31, 12, 30, 0, 120, TimeSpan.FromHours(3)),
      };
      var count = 0;
      await foreach (var order in script.Open().ListOrdersAsync(query)) count++;
      Equal(3, count);
      var texts = new[] {
        "limit=2", "reference=A%20%22b%22%20%D9%A6", "account_label=Desk%201%2B1",
        "created_after=2026-01-31T09%3A30%3A00.12Z",
      };
      var cursors = new[] { "", "cursor=c", "cursor=d" };
      for (var at = 0; at < cursors.Length; at++) {
        var sent = script.Sent[at].RequestUri.Query.TrimStart('?').Split('&').OrderBy(each => each);
        var expected = texts.Append(cursors[at]).Where(each => each != "").OrderBy(each => each);
        Equal(string.Join("&", expected), string.Join("&", sent));
      }
    }

    [Test]
    public static async Task StartsAtTheFirstPageInEachLoop() {
      var pages = new[] { Reply(200, $"{{\"items\":[{Order}],\"next_cursor\":\"c\"}}"), Reply(200, "{\"items\":[]}") };
      var script = new Script(Enumerable.Repeat(pages, 10).SelectMany(each => each).ToArray());
      var orders = script.Open().ListOrdersAsync();
      for (var loop = 0; loop < 10; loop++) {
        await foreach (var order in orders) Equal("ord_1", order.OrderId);
      }
      Equal(20, script.Sent.Count);
      Equal(10, script.Sent.Count(each => each.RequestUri.Query == ""));
    }

    [Test]
    public static async Task ReportsAMissingKeyAndWhySigningFailed() {
      var script = new Script();
      script.Settings.Signer = null;
      Equal("configuration_invalid", (await FailsAsync(() => PlaceAsync(script))).Code);
      script.Settings.Signer = data => throw new InvalidOperationException("the HSM is offline");
      var error = await FailsAsync(() => PlaceAsync(script));
      Equal("signing_failed", error.Code);
      True(error.Message.Contains("the HSM is offline"));
      script.Settings.Signer = data => Task.FromResult(new byte[71]);
      True((await FailsAsync(() => PlaceAsync(script))).Message.Contains("not DER; got 71 bytes"));
      Equal(0, script.Sent.Count);
    }

    [Test]
    public static async Task ReportsEveryTryAndNeverASecret() {
      var script = new Script(Reset, Reply(201, Order, "X-Request-Id", "req_2"));
      await PlaceAsync(script);
      var observed = script.Reports.Select(each =>
        $"{each.Operation} {each.Tries} {each.Status} {each.Code} {each.RequestId}");
      var expected = new[] { "issueToken 1 200  ", "createOrder 1 0 connection_failed ", "createOrder 2 201  req_2" };
      Equal(string.Join("|", expected), string.Join("|", observed));
      True(!$"{script.Settings}".Contains("secret"));
    }

    [Test]
    public static async Task EndsACallThatIsCancelled() {
      using var cancelling = new CancellationTokenSource();
      var script = new Script(() => {
        cancelling.Cancel();
        return Reset();
      });
      var error = await FailsAsync(() => PlaceAsync(script, cancelling.Token));
      Equal("aborted True False", $"{error.Code} {error.OutcomeUnknown} {error.Retryable}");
      script = new Script(Refused);
      script.Settings.Sleep = (length, token) => Task.FromCanceled(new CancellationToken(true));
      error = await FailsAsync(() => PlaceAsync(script));
      Equal("aborted False", $"{error.Code} {error.OutcomeUnknown}");
    }

    [Test]
    public static void ListsEveryMistakeInTheSettings() {
      var settings = new Settings("https://gold.example/v1", "", "secret") {
        TriesMax = 0, Timeout = TimeSpan.MaxValue, Patience = TimeSpan.MaxValue, Kid = "", SigningKey = "missing.key",
      };
      var detail = Throws<GoldException>(() => new GoldClient(settings)).Detail;
      var names = "base_url client_id TriesMax Timeout Patience Kid signing_key cert";
      foreach (var name in names.Split(' ')) True(detail.Contains($"{name} "), detail);
      True(!detail.Contains(".."), detail);
      string? Variable(string name) => name == "GOLD_BASE_URL" ? "https://gold.example" : null;
      var error = Throws<GoldException>(() => Settings.FromEnvironment(Variable));
      True(error.Detail.Contains("client_id (or GOLD_CLIENT_ID)"), error.Detail);
    }

    [Test]
    public static void ReadsAWebhookOfALaterType() {
      const string secret = "whsec_paWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaU=";
      var body = Encoding.UTF8.GetBytes("{\"type\":\"vault.audited\",\"id\":\"evt_1\",\"sequence\":4,"
        + "\"created_at\":\"2026-01-31T09:30:00.000Z\",\"data\":{\"vault\":{},\"chain_head\":\"00\"}}");
      var now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
      foreach (var id in new[] { "evt_1", "evt_2" }) {
        var headers = new Dictionary<string, string> {
          ["webhook-id"] = id, ["webhook-timestamp"] = $"{now}",
          ["webhook-signature"] = Webhooks.Sign(secret, id, now, body),
        };
        VerifiedWebhook Verify() => Webhooks.Verify(body, headers.GetValueOrDefault, new[] { secret });
        if (id == "evt_1") Equal("vault.audited 4", $"{Verify().Event.Type} {Verify().Event.Sequence}");
        else Equal("event_invalid", Throws<WebhookVerificationException>(() => Verify()).Code);
      }
      var unset = new string[] { null! }; // the value of a variable that is not set
      void VerifyUnset() => Webhooks.Verify(body, name => null, unset);
      Equal("secret_invalid", Throws<WebhookVerificationException>(VerifyUnset).Code);
    }
  }
}
