using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace GoldPartner.Tests {
  /// <summary>Plays the service's streams, over mutual TLS. One certificate is the CA and that of both sides.</summary>
  internal sealed class StreamServer : IDisposable {
    public readonly List<string> Requests = new List<string>();
    private readonly ConcurrentQueue<(int Status, string Text, bool Holds)> connections =
      new ConcurrentQueue<(int, string, bool)>();
    private readonly CancellationTokenSource closed = new CancellationTokenSource();
    private readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
    private readonly string folder = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
    private readonly X509Certificate2 certificate;
    private int tokens, ended;

    public StreamServer(bool isOldForm = false, bool isRsa = false) {
      Directory.CreateDirectory(folder);
      using var ec = ECDsa.Create(ECCurve.NamedCurves.nistP256);
      using var rsa = RSA.Create(2048);
      var request = isRsa
        ? new CertificateRequest("CN=localhost", rsa, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
        : new CertificateRequest("CN=localhost", ec, HashAlgorithmName.SHA256);
      var names = new SubjectAlternativeNameBuilder();
      names.AddDnsName("localhost");
      request.CertificateExtensions.Add(names.Build());
      using var made = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddHours(-1), DateTimeOffset.UtcNow.AddHours(1));
      certificate = new X509Certificate2(made.Export(X509ContentType.Pfx));
      Write("tls.crt", "CERTIFICATE", made.RawData);
      if (!isOldForm) Write("tls.key", "PRIVATE KEY", isRsa ? rsa.ExportPkcs8PrivateKey() : ec.ExportPkcs8PrivateKey());
      else if (isRsa) Write("tls.key", "RSA PRIVATE KEY", rsa.ExportRSAPrivateKey());
      else Write("tls.key", "EC PRIVATE KEY", ec.ExportECPrivateKey());
      listener.Start();
      Task.Run(AcceptAsync);
    }

    private string Origin => $"https://localhost:{((IPEndPoint)listener.LocalEndpoint).Port}";

    public Settings Settings => new Settings(Origin, "sbx_1", "secret") {
      Cert = Path.Combine(folder, "tls.crt"), Key = Path.Combine(folder, "tls.key"),
      Ca = Path.Combine(folder, "tls.crt"), TriesMax = 3,
      Sleep = (length, token) => Task.Delay(1, token),
    };

    /// <summary>How many connections of streams the client has ended while they were held.</summary>
    public int Ended => ended;

    /// <summary>The next connection gets this text.</summary>
    public StreamServer Then(string text, bool holds = false, int status = 200) {
      connections.Enqueue((status, text, holds));
      return this;
    }

    public void Dispose() {
      closed.Cancel();
      listener.Stop();
      Directory.Delete(folder, true);
    }

    private async Task AcceptAsync() {
      while (true) {
        var socket = await listener.AcceptTcpClientAsync();
        _ = Task.Run(() => ServeAsync(socket));
      }
    }

    private async Task ServeAsync(TcpClient socket) {
      using var tls = new SslStream(socket.GetStream(), false, (sender, given, chain, errors) => given != null);
      await tls.AuthenticateAsServerAsync(certificate, true, false);
      var reader = new StreamReader(tls, Encoding.ASCII);
      while (true) {
        var target = (await reader.ReadLineAsync())?.Split(' ')[1];
        if (target == null) return;
        var headers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        for (string line; (line = (await reader.ReadLineAsync())!) != "";) {
          headers[line.Split(": ")[0]] = line.Split(": ")[1];
        }
        if (target == "/oauth/token") {
          await reader.ReadBlockAsync(new char[int.Parse(headers["Content-Length"])]);
          lock (Requests) Requests.Add("token");
          var grant = $"{{\"access_token\":\"token-{++tokens}\",\"token_type\":\"Bearer\",\"expires_in\":600}}";
          var answer = $"HTTP/1.1 200 OK\r\nContent-Length: {grant.Length}\r\n\r\n{grant}";
          await tls.WriteAsync(Encoding.ASCII.GetBytes(answer));
          continue;
        }
        lock (Requests) Requests.Add($"{target} {headers["Authorization"]} {headers["Accept"]}");
        connections.TryDequeue(out var connection);
        var type = connection.Status == 200 ? "text/event-stream; charset=utf-8" : "application/problem+json";
        await tls.WriteAsync(Encoding.ASCII.GetBytes(
          $"HTTP/1.1 {connection.Status} Said\r\nContent-Type: {type}\r\nTransfer-Encoding: chunked\r\n\r\n"));
        // In two parts, so that a message arrives in pieces.
        var text = Encoding.UTF8.GetBytes(connection.Text);
        await WriteChunkAsync(tls, text.AsMemory(0, text.Length / 2));
        await WriteChunkAsync(tls, text.AsMemory(text.Length / 2));
        if (connection.Holds) {
          if (await tls.ReadAsync(new byte[1], closed.Token) == 0) Interlocked.Increment(ref ended);
          return;
        }
        await tls.WriteAsync(Encoding.ASCII.GetBytes("0\r\n\r\n"));
      }
    }

    private static async Task WriteChunkAsync(Stream stream, ReadOnlyMemory<byte> bytes) {
      await stream.WriteAsync(Encoding.ASCII.GetBytes($"{bytes.Length:x}\r\n"));
      await stream.WriteAsync(bytes);
      await stream.WriteAsync(Encoding.ASCII.GetBytes("\r\n"));
      await stream.FlushAsync();
    }

    private void Write(string name, string kind, byte[] der) {
      var encoded = Convert.ToBase64String(der, Base64FormattingOptions.InsertLineBreaks);
      File.WriteAllText(Path.Combine(folder, name), $"-----BEGIN {kind}-----\n{encoded}\n-----END {kind}-----\n");
    }
  }
}
