using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Http;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace GoldPartner {
  /// <summary>Makes an iterator for each loop. A second loop over one can end the process in .NET Core 3.1.</summary>
  internal sealed class EachLoop<T> : IAsyncEnumerable<T> {
    private readonly Func<IAsyncEnumerable<T>> start;
    public EachLoop(Func<IAsyncEnumerable<T>> start) => this.start = start;
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken token = default) =>
      start().GetAsyncEnumerator(token);
  }

  /// <summary>Reads the messages of one connection to a stream, and replaces the connection when it ends.</summary>
  internal sealed class LiveStream : IDisposable {
    public const string MediaType = "text/event-stream";

    private readonly HttpResponseMessage response;
    private readonly Decoder decoder = Encoding.UTF8.GetDecoder();
    private readonly byte[] bytes = new byte[4096];
    private readonly char[] chars = new char[4097];
    private int position, count;
    private readonly Pauses pauses;

    private LiveStream(HttpResponseMessage response, Pauses pauses) => (this.response, this.pauses) = (response, pauses);

    public void Dispose() => response.Dispose();

    /// <summary>
    /// Returns the items of a stream that never ends. `read` makes an item of the name and the data of a message, or
    /// null for a message to ignore. Each connection, also that of a second loop, asks for the target of that moment.
    /// Throws only permanent failures.
    /// </summary>
    public static async IAsyncEnumerable<T> FollowAsync<T>(
        Exchange exchange, string operation, Func<string> target, Func<string, byte[], T?> read,
        [EnumeratorCancellation] CancellationToken cancellationToken) where T : class {
      var pauses = new Pauses();
      while (true) {
        var call = new Call(operation, target()) { Accept = MediaType, Pauses = pauses };
        using var stream = await exchange.CallAsync(call, reply => Open(reply, pauses), cancellationToken)
          .ConfigureAwait(false);
        while (true) {
          var (name, data) = await stream.NextAsync(exchange.SilenceMax, cancellationToken).ConfigureAwait(false);
          // After `end`, the service accepts the next connection, or refuses it with the reason.
          if (name == null || name == "end") break;
          pauses.Reset();
          var item = Checked(() => read(name, data));
          if (item != null) yield return item;
        }
        stream.Dispose();
        await exchange.PauseAsync(pauses.Next(null), cancellationToken).ConfigureAwait(false);
      }
    }

    private static LiveStream Open(Reply reply, Pauses pauses) {
      if (reply.Status == 200 && reply.MediaType == MediaType) return new LiveStream(reply.Response, pauses);
      reply.Response.Dispose();
      throw new FormatException($"Content-Type must be {MediaType}; got {reply.MediaType}");
    }

    /// <summary>Returns the name and the data of a message. The name is null if the connection is lost.</summary>
    private async Task<(string? Name, byte[] Data)> NextAsync(
        TimeSpan silenceMax, CancellationToken cancellationToken) {
      var (name, data) = ("message", new StringBuilder());
      while (await LineAsync(silenceMax, cancellationToken).ConfigureAwait(false) is string line) {
        var value = line.Substring(line.IndexOf(':') + 1);
        if (value.StartsWith(' ')) value = value.Substring(1);
        if (line.StartsWith("event:", StringComparison.Ordinal)) name = value;
        else if (line.StartsWith("data:", StringComparison.Ordinal)) data.Append(value).Append('\n');
        else if (line == "" && data.Length > 0) return (name, Encoding.UTF8.GetBytes(data.ToString()));
        else if (line == "") name = "message";
        else if (line[0] == ':') pauses.Reset();
      }
      return (null, Array.Empty<byte>());
    }

    /// <summary>Returns a line without its end, or null if the connection is lost.</summary>
    private async Task<string?> LineAsync(TimeSpan silenceMax, CancellationToken cancellationToken) {
      for (var line = new StringBuilder(); ; ) {
        while (position < count) {
          var next = chars[position++];
          if (next == '\n') return line.ToString().TrimEnd('\r');
          line.Append(next);
        }
        try {
          using var silence = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
          silence.CancelAfter(silenceMax);
          var body = await response.Content.ReadAsStreamAsync().ConfigureAwait(false);
          var read = await body.ReadAsync(bytes, 0, bytes.Length, silence.Token).ConfigureAwait(false);
          if (read == 0) return null;
          (position, count) = (0, decoder.GetChars(bytes, 0, read, chars, 0));
        } catch (Exception error) when (Exchange.IsOfConnection(error)) {
          if (cancellationToken.IsCancellationRequested) throw Failure.Aborted(Outcome.Unchanged);
          return null;
        }
      }
    }

    private static T Checked<T>(Func<T> read) {
      try {
        return read();
      } catch (FormatException cause) {
        throw Failure.Unsent("reply_invalid", "A message of the stream does not have the documented form.", cause);
      }
    }
  }
}
