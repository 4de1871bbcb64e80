using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace GoldPartner {
  /// <summary>Makes calls. Retries each until it succeeds, cannot be retried, or reaches a limit.</summary>
  internal sealed class Exchange : IDisposable {
    private const int FirstPauseMs = 200;
    private const int PauseMaxMs = 10_000;
    private const double RenewedAt = 0.8; // of a token's life, as the service advises

    private readonly Settings settings;
    private readonly HttpMessageInvoker http;
    private readonly SemaphoreSlim tokenLock = new SemaphoreSlim(1, 1);
    private volatile Token? token;
    private volatile object? clockOffset; // a long; a reference is read in one step
    private volatile bool isDisposed;

    private sealed class Token {
      public readonly string Text;
      public readonly long Renewal; // by Environment.TickCount64

      public Token(Json grant, long askedAt) => (Text, Renewal) = (grant.Get("access_token", Json.Text),
        askedAt + (long)(grant.Get("expires_in", Json.Integer) * 1000 * RenewedAt));

      public bool IsFresh => Renewal > Environment.TickCount64;
    }

    public Exchange(Settings settings) => http = new HttpMessageInvoker((this.settings = settings.Checked()).Handler!);

    public long? ClockOffsetSeconds => (long?)clockOffset;
    public TimeSpan SilenceMax => settings.SilenceMax;

    private long PatienceEnd => Environment.TickCount64 + (long)settings.Patience.TotalMilliseconds;

    public void Dispose() {
      isDisposed = true;
      http.Dispose();
      settings.Identity?.Dispose(); // Windows keeps its key in a file until then
    }

    /// <summary>Waits before another connection of a stream.</summary>
    public Task PauseAsync(TimeSpan length, CancellationToken cancellationToken) =>
      OrAbortedAsync(settings.Sleep(length, cancellationToken));

    /// <summary>Returns the value that `read` makes of the reply. FormatException: the form is another one.</summary>
    public async Task<T> CallAsync<T>(
        Call call, Func<Reply, T> read, CancellationToken cancellationToken, long? end = null) {
      var limit = end ?? (call.Pauses == null ? PatienceEnd : long.MaxValue);
      var reply = await SendAsync(call, limit, cancellationToken).ConfigureAwait(false);
      try {
        return read(reply);
      } catch (FormatException cause) {
        throw Failure.InvalidReply(reply, call, cause);
      }
    }

    /// <summary>
    /// Returns a reply whose status is 2xx. All tries have the same Idempotency-Key. Each try has its own timestamp,
    /// nonce and signature.
    /// </summary>
    private async Task<Reply> SendAsync(Call call, long end, CancellationToken cancellationToken) {
      var (inDoubt, hasNewToken) = (false, false);
      for (var tries = 1; ; tries++) {
        var start = Environment.TickCount64;
        try {
          var reply = await TryAsync(call, end, cancellationToken).ConfigureAwait(false);
          Report(call, tries, start, reply.Status, null, reply.Header("X-Request-Id"), null);
          return reply;
        } catch (GoldException failure) {
          inDoubt = failure.Outcome == Outcome.Unknown || (failure.Outcome == Outcome.Unchanged && inDoubt);
          var renews = failure.Cure == Cure.Token && !hasNewToken;
          var retries = call.Pauses == null
            ? failure.Cure == Cure.Wait && tries < settings.TriesMax
            : Failure.IsTemporary(failure);
          var pause = renews ? TimeSpan.Zero
            : call.Pauses?.Next(failure.RetryAfter) ?? PauseLength(tries, failure.RetryAfter);
          var goesOn = (renews || retries) && end - Environment.TickCount64 > pause.TotalMilliseconds;
          Report(call, tries, start, failure.Status, failure.Code, failure.RequestId, goesOn ? pause : (TimeSpan?)null);
          failure.Of(call, tries, inDoubt);
          if (!goesOn) throw;
          hasNewToken = renews || (hasNewToken && call.Pauses == null);
          try {
            await OrAbortedAsync(settings.Sleep(pause, cancellationToken)).ConfigureAwait(false);
          } catch (GoldException aborted) {
            throw aborted.Of(call, tries, inDoubt);
          }
        }
      }
    }

    private async Task<Reply> TryAsync(Call call, long end, CancellationToken cancellationToken) {
      Token? used = null;
      HttpRequestMessage request;
      try {
        if (isDisposed) throw Failure.Unsent("argument_invalid", "The client is disposed; open a new one.");
        var tokenEnd = call.Pauses == null ? end : PatienceEnd;
        if (call.NeedsToken) used = await TokenAsync(tokenEnd, cancellationToken).ConfigureAwait(false);
        request = await RequestAsync(call, used).ConfigureAwait(false);
      } catch (GoldException failure) { // nothing was sent
        (failure.Cure, failure.Outcome) = (Cure.None, Outcome.Unchanged);
        throw;
      }
      var leftMs = end - Environment.TickCount64;
      if (leftMs <= 0) throw Failure.Unsent("timed_out", "The call reached its patience before its end.");
      var timeout = leftMs < settings.Timeout.TotalMilliseconds ? TimeSpan.FromMilliseconds(leftMs) : settings.Timeout;
      var reply = await FetchAsync(call, request, timeout, cancellationToken).ConfigureAwait(false);
      // Date has no fractions of a second, so the service's time is on average 0.5 s later.
      var ahead = settings.Now() - reply.Date - TimeSpan.FromSeconds(0.5);
      if (ahead is TimeSpan known) clockOffset = (long)Math.Round(known.TotalSeconds);
      if (reply.Response.IsSuccessStatusCode) return reply;
      var refusal = Failure.Refusal(reply, call.Operation, ClockOffsetSeconds);
      if (refusal.Cure == Cure.Token) Interlocked.CompareExchange(ref token, null, used);
      throw refusal;
    }

    private async Task<Reply> FetchAsync(
        Call call, HttpRequestMessage request, TimeSpan timeout, CancellationToken cancellationToken) {
      using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
      limit.CancelAfter(timeout);
      try {
        var response = await http.SendAsync(request, limit.Token).ConfigureAwait(false);
        if (call.Accept == LiveStream.MediaType && response.IsSuccessStatusCode) {
          return new Reply(response, Array.Empty<byte>());
        }
        using (response) {
          var bytes = new MemoryStream();
          var body = await response.Content.ReadAsStreamAsync().ConfigureAwait(false);
          await body.CopyToAsync(bytes, limit.Token).ConfigureAwait(false);
          return new Reply(response, bytes.ToArray());
        }
      } catch (Exception error) when (IsOfConnection(error)) {
        if (cancellationToken.IsCancellationRequested) throw Failure.Aborted(Outcome.Unknown);
        throw limit.IsCancellationRequested ? Failure.TimedOut(timeout, error) : Failure.Lost(error);
      }
    }

    /// <summary>Whether a connection ended with this exception, or was ended because of a limit.</summary>
    public static bool IsOfConnection(Exception error) => error is HttpRequestException || error is IOException
      || error is OperationCanceledException || error is ObjectDisposedException;

    /// <summary>Returns the current token. Fetches one unless another call has done so meanwhile.</summary>
    private async Task<Token> TokenAsync(long end, CancellationToken cancellationToken) {
      if (token is Token current && current.IsFresh) return current;
      await OrAbortedAsync(tokenLock.WaitAsync(cancellationToken)).ConfigureAwait(false);
      try {
        if (token is Token other && other.IsFresh) return other;
        var form = Call.Form(new (string, object?)[] {
          ("grant_type", "client_credentials"), ("client_id", settings.ClientId),
          ("client_secret", settings.ClientSecret),
        });
        var call = new Call("issueToken", "/oauth/token") { Body = Encoding.ASCII.GetBytes(form), NeedsToken = false };
        var askedAt = Environment.TickCount64;
        return token = await CallAsync(call, reply => Json.Read(reply.Body, grant => new Token(grant, askedAt)),
          cancellationToken, end).ConfigureAwait(false);
      } finally {
        tokenLock.Release();
      }
    }

    private async Task<HttpRequestMessage> RequestAsync(Call call, Token? token) {
      var url = settings.BaseUrl + call.Target;
      var request = new HttpRequestMessage(new HttpMethod(call.Method), url);
      void Add(string name, string value) => request.Headers.TryAddWithoutValidation(name, value);
      Add("Accept", call.Accept);
      if (call.Body != null) {
        request.Content = new ByteArrayContent(call.Body);
        var type = call.NeedsToken || call.IsWrite ? Call.Json : "application/x-www-form-urlencoded";
        request.Content.Headers.TryAddWithoutValidation("Content-Type", type);
      }
      if (token != null) Add("Authorization", $"Bearer {token.Text}");
      if (call.IsWrite) Add("Idempotency-Key", call.IdempotencyKey!);
      if (!call.IsSigned) return request;
      var signer = settings.Signer ?? throw Failure.Unsent("configuration_invalid",
        "This call must be signed: set SigningKey or Signer when you open the client.");
      var (timestamp, nonce) = ($"{settings.Now().ToUnixTimeSeconds()}", Guid.NewGuid().ToString());
      var payload = Signing.CanonicalRequest(call.Method, url, call.Body!, timestamp, nonce);
      try {
        var signature = await Signing.DetachedJws(signer, payload, settings.Kid).ConfigureAwait(false);
        Add("X-JWS-Signature", signature);
      } catch (Exception cause) { // any exception of an HSM's driver
        throw Failure.Unsent(
          "signing_failed", $"The request could not be signed: {cause.Message.TrimEnd('.')}.", cause);
      }
      Add("X-Timestamp", timestamp);
      Add("X-Nonce", nonce);
      return request;
    }

    private static async Task OrAbortedAsync(Task waiting) {
      try {
        await waiting.ConfigureAwait(false);
      } catch (OperationCanceledException) {
        throw Failure.Aborted(Outcome.Unchanged);
      }
    }

    private void Report(
      Call call, int tries, long start, int status, string? code, string? requestId, TimeSpan? retryIn) {
      try {
        settings.Observer?.Invoke(new TryReport(call.Operation, tries) {
          Duration = TimeSpan.FromMilliseconds(Environment.TickCount64 - start), Status = status, Code = code,
          RequestId = requestId, RetryIn = retryIn,
        });
      } catch {
        // An exception of the observer must not replace the call's result.
      }
    }

    /// <summary>
    /// Returns Retry-After and up to 0.2 s more. Without Retry-After it is a random time below a limit that doubles
    /// from 0.2 s to 10 s. The random part keeps clients from coming back at the same moment.
    /// </summary>
    public static TimeSpan PauseLength(int tries, TimeSpan? retryAfter) {
      var doubled = Math.Min(FirstPauseMs * Math.Pow(2, tries - 1), PauseMaxMs);
      var most = retryAfter == null ? (int)doubled : FirstPauseMs;
      return (retryAfter ?? TimeSpan.Zero) + TimeSpan.FromMilliseconds(RandomNumberGenerator.GetInt32(most + 1));
    }
  }

  /// <summary>The pauses of a stream between two tries. They grow until a comment or data arrives.</summary>
  internal sealed class Pauses {
    /// <summary>The longest pause, whatever Retry-After says.</summary>
    private static readonly TimeSpan PauseMax = TimeSpan.FromHours(1);

    private int count;

    public TimeSpan Next(TimeSpan? retryAfter) =>
      Exchange.PauseLength(++count, retryAfter > PauseMax ? PauseMax : retryAfter);

    public void Reset() => count = 0;
  }

  /// <summary>A reply with its body. The body of a stream is empty here, and its response is open.</summary>
  internal sealed class Reply {
    public Reply(HttpResponseMessage response, byte[] body) => (Response, Body) = (response, body);

    public HttpResponseMessage Response { get; }
    public byte[] Body { get; }
    public int Status => (int)Response.StatusCode;
    /// <summary>The service's time; null if there is none.</summary>
    public DateTimeOffset? Date => Response.Headers.Date;
    public string? MediaType => Response.Content?.Headers.ContentType?.MediaType?.ToLowerInvariant();

    /// <summary>Both dates come from the service, so a wrong clock on this machine does not matter.</summary>
    public TimeSpan? RetryAfter => Response.Headers.RetryAfter?.Delta
      ?? (Response.Headers.RetryAfter?.Date < Date ? TimeSpan.Zero : Response.Headers.RetryAfter?.Date - Date);

    public string? Header(string name) =>
      Response.Headers.TryGetValues(name, out var values) ? values.First() : null;
  }
}
