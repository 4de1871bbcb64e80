using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using static GoldPartner.Tests.Check;

namespace GoldPartner.Tests {
  /// <summary>Follows the streams of a server on this machine, over mutual TLS.</summary>
  internal static class StreamsTest {
    private const string Away = "{\"code\":\"service_unavailable\",\"request_id\":\"req_1\",\"retryable\":true}";

    private static string Event(int sequence) => $"id: {sequence}\ndata: {{\"type\":\"webhook.test\","
      + $"\"id\":\"evt_{sequence}\",\"sequence\":{sequence},\"created_at\":\"2026-01-31T09:30:00.000Z\",\n"
      + "data: \"data\":{\"chain_head\":\"é\"}}\n\n";

    private static string End(string reason) => $"event: end\ndata: {{\"reason\":\"{reason}\"}}\n\n";

    private static string Price(string buy) => "data: {\"currency\":\"SAR\",\"unit\":\"gram\",\"purity\":\"24K\","
      + $"\"buy_price\":{buy},\"sell_price\":498.5,"
      + "\"as_of\":\"2026-01-31T09:30:00.000Z\",\"market\":\"open\"}\n\n";

    /// <summary>Takes the sequences of this many events.</summary>
    private static async Task<string> TakeAsync(IAsyncEnumerable<WebhookEvent> events, int count) {
      var sequences = new List<long>();
      await foreach (var each in events) {
        sequences.Add(each.Sequence);
        if (sequences.Count == count) break;
      }
      return string.Join(" ", sequences);
    }

    private static string Targets(StreamServer server) =>
      string.Join(" ", server.Requests.Where(one => one != "token").Select(one => one.Split(' ')[0].Split('=')[1]));

    [Test]
    public static async Task DeliversPricesAndSaysWhenThereIsNone() {
      using var server = new StreamServer().Then("retry: 1000\n\n: ping\n\nevent: later\ndata: {}\n\nevent: end\n\n"
        + Price("501.50") + "event: unavailable\r\ndata: {\"code\":\"price_unavailable\"}\r\n\r\n"
        + Price("502"), true);
      using var client = new GoldClient(server.Settings);
      var prices = new List<decimal?>();
      await foreach (var update in client.StreamPricesAsync()) {
        prices.Add(update.Prices?.BuyPrice);
        if (prices.Count == 3) break;
      }
      Equal("501.50||502", string.Join("|", prices));
      Equal("token|/v1/prices/stream Bearer token-1 text/event-stream", string.Join("|", server.Requests));
    }

    [Test]
    public static async Task ResumesAfterTheLastEventHoweverTheConnectionEnds() {
      using var server = new StreamServer().Then(Event(5) + Event(6) + End("drain"))
        .Then("event: later\ndata: {}\n\n" + Event(7) + End("time_limit"))
        .Then(Event(8) + Event(9).Substring(0, 40)) // lost in the middle of a message
        .Then(Away, false, 503).Then(Event(9), true);
      using var client = new GoldClient(server.Settings);
      Equal("5 6 7 8 9", await TakeAsync(client.StreamEventsAsync(4), 5));
      Equal("4 6 7 8 8", Targets(server));
    }

    [Test]
    public static async Task ReconnectsWhenNoByteComes() {
      using var server = new StreamServer().Then(Event(1), true).Then(Event(2), true);
      var settings = server.Settings;
      settings.SilenceMax = TimeSpan.FromSeconds(2);
      using var client = new GoldClient(settings);
      Equal("1 2", await TakeAsync(client.StreamEventsAsync(0), 2));
      Equal("0 1", Targets(server));
    }

    [Test]
    public static async Task RenewsAnExpiredToken() {
      using var server = new StreamServer().Then(Event(1) + End("token_expired"))
        .Then("{\"code\":\"token_invalid\",\"request_id\":\"req_1\"}", false, 401).Then(Event(2), true);
      using var client = new GoldClient(server.Settings);
      Equal("1 2", await TakeAsync(client.StreamEventsAsync(0), 2));
      var tokens = server.Requests.Where(one => one != "token").Select(one => one.Split(' ')[2]);
      Equal("token-1 token-1 token-2", string.Join(" ", tokens));
    }

    [Test]
    public static async Task ThrowsTheRefusalAfterTheServiceEndsIt() {
      foreach (var (reason, code) in new[] { ("suspended", "partner_suspended"), ("revoked", "ip_not_allowed") }) {
        var refusal = $"{{\"code\":\"{code}\",\"request_id\":\"req_1\",\"retryable\":false}}";
        using var server = new StreamServer().Then(Event(1) + End(reason)).Then(refusal, false, 403);
        using var client = new GoldClient(server.Settings);
        var error = await FailsAsync(() => TakeAsync(client.StreamEventsAsync(0), 2));
        Equal($"{code} 403 req_1 False", $"{error.Code} {error.Status} {error.RequestId} {error.Retryable}");
        Equal("0 1", Targets(server));
      }
    }

    [Test]
    public static async Task WaitsLongerOnlyWhileConnectionsEndAtOnce() {
      foreach (var (text, isLonger) in new[] { (": ping\n\n", false), ("retry: 1000\n\n", true) }) {
        using var server = new StreamServer();
        for (var connection = 0; connection < 12; connection++) server.Then(text + End("time_limit"));
        var pauses = new List<TimeSpan>();
        var settings = server.Then(Event(1), true).Settings;
        settings.Sleep = (length, token) => {
          pauses.Add(length);
          return Task.CompletedTask;
        };
        using var client = new GoldClient(settings);
        Equal("1", await TakeAsync(client.StreamEventsAsync(0), 1));
        Equal(12, pauses.Count);
        Equal(isLonger, pauses.Max() > TimeSpan.FromMilliseconds(200));
      }
    }

    [Test]
    public static async Task OutlastsAnyOutageWithPausesOfUpTo10Seconds() {
      using var server = new StreamServer().Then(Event(1));
      for (var round = 0; round < 20; round++) {
        server.Then(Away.Replace("true", "false"), false, 500).Then("<html>", false, 502).Then("-", false, 501)
          .Then(Away, false, 408).Then(Away, false, 429)
          .Then("{\"code\":\"token_expired\",\"request_id\":\"req_1\"}", false, 401).Then("retry: 1000\n\n");
      }
      var pauses = new List<TimeSpan>();
      var settings = server.Then(Event(2), true).Settings;
      settings.Sleep = (length, token) => {
        pauses.Add(length);
        return Task.CompletedTask;
      };
      using var client = new GoldClient(settings);
      Equal("1 2", await TakeAsync(client.StreamEventsAsync(0), 2));
      Equal(1 + 20 * 7, pauses.Count);
      var longest = pauses.Max().TotalMilliseconds;
      True(longest > 6_400 && longest <= 10_000, $"{longest} ms");
    }

    [Test]
    public static async Task EndsAPauseWhenItIsCancelled() {
      using var server = new StreamServer().Then(Event(1)).Then(Away, false, 503);
      using var cancelling = new CancellationTokenSource();
      var settings = server.Settings;
      settings.Sleep = (length, token) => {
        if (server.Requests.Count > 2) cancelling.CancelAfter(50);
        return Task.Delay(server.Requests.Count > 2 ? TimeSpan.FromMinutes(1) : TimeSpan.Zero, token);
      };
      using var client = new GoldClient(settings);
      var events = client.StreamEventsAsync(0, cancelling.Token);
      Equal("aborted", (await FailsAsync(() => TakeAsync(events, 2))).Code);
    }

    [Test]
    public static async Task EndsTheConnectionWhenTheLoopEndsOrIsCancelled() {
      using var server = new StreamServer().Then(Event(1), true).Then(Event(1), true);
      using var client = new GoldClient(server.Settings);
      Equal("1", await TakeAsync(client.StreamEventsAsync(0), 1));
      using var cancelling = new CancellationTokenSource();
      cancelling.CancelAfter(300);
      Equal("aborted", (await FailsAsync(() => TakeAsync(client.StreamEventsAsync(0, cancelling.Token), 2))).Code);
      for (var tries = 0; server.Ended < 2 && tries < 100; tries++) await Task.Delay(50);
      Equal(2, server.Ended);
    }

    [Test]
    public static async Task RefusesAReplyThatIsNoStream() {
      using var server = new StreamServer().Then("<html>", false, 404).Then("data: []\n\n").Then("<html>", false, 201);
      using var client = new GoldClient(server.Settings);
      for (var each = 0; each < 3; each++) {
        Equal("reply_invalid", (await FailsAsync(() => TakeAsync(client.StreamEventsAsync(0), 1))).Code);
      }
    }

    [Test]
    public static async Task ReadsEachFormOfAPrivateKey() {
      foreach (var (isOldForm, isRsa) in new[] { (false, true), (true, true), (true, false) }) {
        using var server = new StreamServer(isOldForm, isRsa).Then(Event(1));
        using var client = new GoldClient(server.Settings);
        Equal("1", await TakeAsync(client.StreamEventsAsync(0), 1));
      }
    }

    [Test]
    public static async Task TrustsTheGivenCaAlone() {
      using var server = new StreamServer();
      using var other = new StreamServer();
      foreach (var ca in new[] { other.Settings.Ca, null }) {
        var settings = server.Settings;
        settings.Ca = ca;
        using var client = new GoldClient(settings);
        Equal("tls_failed", (await FailsAsync(() => client.GetHealthAsync())).Code);
      }
      var renamed = server.Settings;
      renamed.BaseUrl = renamed.BaseUrl.Replace("localhost", "127.0.0.1");
      using var wrongName = new GoldClient(renamed);
      Equal("tls_failed", (await FailsAsync(() => wrongName.GetHealthAsync())).Code);
    }
  }
}
