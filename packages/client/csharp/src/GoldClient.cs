using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace GoldPartner {
  /// <summary>
  /// Calls the service for one partner. It handles mutual TLS, tokens, signatures and retries. Threads can share one
  /// client. Every call that fails throws a <see cref="GoldException"/>.
  /// <code>
  /// using var client = GoldClient.FromEnvironment();
  /// var quote = await client.CreateQuoteAsync(new QuoteRequest("buy") { GoldGrams = 1.5m });
  /// var order = await client.PlaceOrderAsync(new OrderRequest(quote.QuoteId));
  /// </code>
  /// </summary>
  public sealed partial class GoldClient : IDisposable {
    private readonly Exchange exchange;

    /// <summary>Opens a client. It sends nothing yet.</summary>
    /// <param name="settings">the service's URL, the credentials and the limits</param>
    /// <exception cref="GoldException">configuration_invalid, which lists all mistakes in the settings</exception>
    public GoldClient(Settings settings) => exchange = new Exchange(settings);

    /// <summary>Seconds that this machine's clock is ahead of the service's. Null before the first reply.</summary>
    public long? ClockOffsetSeconds => exchange.ClockOffsetSeconds;

    /// <summary>Opens a client with the settings of <see cref="Settings.FromEnvironment()"/>.</summary>
    public static GoldClient FromEnvironment() => new GoldClient(Settings.FromEnvironment());

    /// <summary>Closes the connections. A call after that throws a GoldException argument_invalid.</summary>
    public void Dispose() => exchange.Dispose();

    /// <summary>Fetches the statement of GetStatementAsync as CSV text.</summary>
    /// <param name="query">the first and the last day, both included, in Asia/Riyadh</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    public Task<string> GetStatementCsvAsync(StatementQuery query, CancellationToken cancellationToken = default) {
      var call = new Call("getStatement", Call.Path("/v1/statement", query)) { Accept = "text/csv" };
      return exchange.CallAsync(call, reply => reply.MediaType == call.Accept
        ? Encoding.UTF8.GetString(reply.Body)
        : throw new FormatException($"Content-Type must be text/csv; got {reply.MediaType}"), cancellationToken);
    }

    /// <summary>
    /// Follows the prices in a loop with <c>await foreach</c>. The first update has the prices of now. If a connection
    /// is lost, the loop opens another one, without a limit of time or tries. It throws a GoldException only
    /// after a permanent failure, and a new loop continues.
    /// </summary>
    /// <param name="cancellationToken">ends the loop with the code aborted</param>
    public IAsyncEnumerable<PriceUpdate> StreamPricesAsync(CancellationToken cancellationToken = default) =>
      new EachLoop<PriceUpdate>(() => LiveStream.FollowAsync(exchange, "streamPrices", () => "/v1/prices/stream",
        (name, data) => name == "unavailable" ? new PriceUpdate(null)
          : name == "message" ? new PriceUpdate(Json.Read(data, json => new Prices(json))) : null, cancellationToken));

    /// <summary>
    /// Follows your events in a loop with <c>await foreach</c>. No event is left out or repeated when the loop opens
    /// another connection, and a new loop over the same result continues after the last event. To continue after your
    /// program has ended, store the sequence of each event that you have processed.
    /// </summary>
    /// <param name="after">the sequence of the last event that you have; 0 for all events</param>
    /// <param name="cancellationToken">ends the loop with the code aborted</param>
    public IAsyncEnumerable<WebhookEvent> StreamEventsAsync(
        long after, CancellationToken cancellationToken = default) =>
      new EachLoop<WebhookEvent>(() => LiveStream.FollowAsync(exchange, "streamEvents",
        () => $"/v1/events/stream?after={after}", (name, data) => {
          if (name != "message") return null;
          var read = Json.Read(data, json => new WebhookEvent(json));
          after = read.Sequence;
          return read;
        }, cancellationToken));

    private Task<T> CallAsync<T>(Call call, Func<Json, T> read, CancellationToken cancellationToken) =>
      exchange.CallAsync(call, reply => Json.Read(reply.Body, read), cancellationToken);

    /// <summary>Returns the items of all pages. A page is fetched when its items are needed.</summary>
    private async IAsyncEnumerable<T> ListAsync<T>(
        string operation, string path, string next, IQuery? query, Func<Json, T> read,
        [EnumeratorCancellation] CancellationToken cancellationToken) {
      string? cursor = null;
      do {
        var call = new Call(operation, Call.Path(path, query, next, cursor));
        var page = await CallAsync(call, json => (Items: json.Get("items", Json.List(Json.Object(read))),
          Cursor: json.Find("next_cursor", Json.Text)), cancellationToken).ConfigureAwait(false);
        foreach (var item in page.Items) yield return item;
        cursor = page.Cursor;
      } while (cursor != null);
    }
  }

  /// <summary>An update of <see cref="GoldClient.StreamPricesAsync"/>.</summary>
  public sealed class PriceUpdate {
    internal PriceUpdate(Prices? prices) => Prices = prices;

    /// <summary>The new prices; null if there is no fresh price now.</summary>
    public Prices? Prices { get; }
  }

  /// <summary>The result of one try of a call, for logs and metrics. It has no secret, token or body.</summary>
  public sealed class TryReport {
    internal TryReport(string operation, int tries) => (Operation, Tries) = (operation, tries);

    /// <summary>The operation's name in the API description.</summary>
    public string Operation { get; }
    /// <summary>1 at the first try.</summary>
    public int Tries { get; }
    /// <summary>How long the try took.</summary>
    public TimeSpan Duration { get; internal set; }
    /// <summary>The status of the reply; 0: no reply arrived.</summary>
    public int Status { get; internal set; }
    /// <summary>Null if the try succeeded.</summary>
    public string? Code { get; internal set; }
    /// <summary>Null if the reply had none.</summary>
    public string? RequestId { get; internal set; }
    /// <summary>The pause before the next try; null if there is none.</summary>
    public TimeSpan? RetryIn { get; internal set; }
  }
}
