using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace GoldPartner.Tests {
  /// <summary>Answers the token requests, and gives the scripted answers to the other requests.</summary>
  internal sealed class Script : HttpMessageHandler {
    public readonly List<HttpRequestMessage> Sent = new List<HttpRequestMessage>();
    public readonly List<string> Bodies = new List<string>();
    public readonly List<TryReport> Reports = new List<TryReport>();
    public readonly List<TimeSpan> Pauses = new List<TimeSpan>();
    public readonly Settings Settings = new Settings("https://gold.example", "sbx_1", "secret");
    private readonly Queue<Func<HttpResponseMessage>> answers;

    public Script(params Func<HttpResponseMessage>[] answers) {
      this.answers = new Queue<Func<HttpResponseMessage>>(answers);
      Settings.Handler = this;
      Settings.Observer = Reports.Add;
      Settings.Signer = data => Task.FromResult(new byte[64]);
      Settings.Sleep = (length, token) => {
        Pauses.Add(length);
        token.ThrowIfCancellationRequested();
        return Task.CompletedTask;
      };
    }

    public int Tokens { get; private set; }

    public GoldClient Open() => new GoldClient(Settings);

    public List<string> Headers(string name) =>
      Sent.Select(request => string.Join(",", request.Headers.GetValues(name))).ToList();

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken token) {
      if (request.RequestUri.AbsolutePath == "/oauth/token") {
        return Reply(200, $"{{\"access_token\":\"token-{++Tokens}\",\"token_type\":\"Bearer\",\"expires_in\":600}}")();
      }
      Sent.Add(request);
      Bodies.Add(request.Content == null ? "" : await request.Content.ReadAsStringAsync());
      return answers.Dequeue()();
    }

    /// <summary>Headers are names and values in turn.</summary>
    public static Func<HttpResponseMessage> Reply(int status, string body, params string[] headers) => () => {
      var response = new HttpResponseMessage((HttpStatusCode)status) {
        Content = new ByteArrayContent(Encoding.UTF8.GetBytes(body)),
      };
      for (var at = 0; at < headers.Length; at += 2) {
        if (!response.Headers.TryAddWithoutValidation(headers[at], headers[at + 1])) {
          response.Content.Headers.TryAddWithoutValidation(headers[at], headers[at + 1]);
        }
      }
      return response;
    };

    /// <summary>Members are further members of the problem, such as "retryable":true.</summary>
    public static Func<HttpResponseMessage> Problem(
        int status, string code, string members = "", params string[] headers) {
      var more = members == "" ? "" : $",{members}";
      return Reply(status, $"{{\"code\":\"{code}\",\"detail\":\"…\",\"request_id\":\"req_1\"{more}}}", headers);
    }

    public static HttpResponseMessage Reset() =>
      throw new HttpRequestException("sending failed", new IOException("connection reset", new SocketException()));

    /// <summary>A reset in the body: the handler's exception then has no HttpRequestException around it.</summary>
    public static HttpResponseMessage Cut() => throw new IOException("connection reset", new SocketException());

    public static HttpResponseMessage Refused() =>
      throw new HttpRequestException("connection refused", new SocketException());

    public static HttpResponseMessage Untrusted() =>
      throw new HttpRequestException("TLS failed", new AuthenticationException("self-signed certificate"));
  }
}
