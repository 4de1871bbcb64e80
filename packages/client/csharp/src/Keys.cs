using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace GoldPartner {
  /// <summary>Opens connections with mutual TLS.</summary>
  internal static class Tls {
    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";

    /// <summary>Returns the handler for a client certificate. Without `trusted` it trusts the system's CAs.</summary>
    public static HttpMessageHandler Handler(X509Certificate2 identity, X509Certificate2Collection? trusted) {
      var handler = new SocketsHttpHandler {
        AllowAutoRedirect = false, UseCookies = false,
        // Leaving the loop over a stream ends its connection. Otherwise the handler would read on for a while.
        MaxResponseDrainSize = 0,
        // Otherwise a connection that is always busy would never see that the address of the host has changed.
        PooledConnectionLifetime = TimeSpan.FromMinutes(10),
      };
      handler.SslOptions.ClientCertificates = new X509CertificateCollection { identity };
      // Otherwise .NET sends the certificate only if its issuer is among those that the service names.
      handler.SslOptions.LocalCertificateSelectionCallback = (sender, host, own, remote, issuers) => identity;
      if (trusted != null) {
        handler.SslOptions.RemoteCertificateValidationCallback = (sender, certificate, presented, errors) =>
          (errors & ~SslPolicyErrors.RemoteCertificateChainErrors) == SslPolicyErrors.None
          && IsTrusted(certificate, presented, trusted);
      }
      return handler;
    }

    /// <summary>Whether the certificate has a chain to one of these CAs. .NET Core 3.1 has no option for it.</summary>
    private static bool IsTrusted(X509Certificate given, X509Chain presented, X509Certificate2Collection trusted) {
      using var certificate = new X509Certificate2(given);
      using var chain = new X509Chain();
      chain.ChainPolicy.ExtraStore.AddRange(trusted);
      foreach (var element in presented.ChainElements) chain.ChainPolicy.ExtraStore.Add(element.Certificate);
      chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
      chain.ChainPolicy.ApplicationPolicy.Add(new Oid(ServerAuthentication));
      // This accepts any root, so the root is compared below.
      chain.ChainPolicy.VerificationFlags = X509VerificationFlags.AllowUnknownCertificateAuthority;
      if (!chain.Build(certificate)) return false;
      var root = chain.ChainElements[chain.ChainElements.Count - 1].Certificate.RawData;
      return chain.ChainStatus.All(each => each.Status == X509ChainStatusFlags.UntrustedRoot)
        && trusted.Cast<X509Certificate2>().Any(each => each.RawData.SequenceEqual(root));
    }
  }

  /// <summary>Reads keys and certificates from PEM files.</summary>
  internal static class Pem {
    private const string P256 = "1.2.840.10045.3.1.7";
    private static readonly Regex Block =
      new Regex(@"-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----", RegexOptions.CultureInvariant);

    /// <summary>Reads the key that signs orders, in PKCS#8 or SEC1. It must be an EC key on P-256.</summary>
    public static ECDsa ReadSigningKey(string path) {
      var key = ReadKey(path, ECDsa.Create());
      var curve = key.ExportParameters(false).Curve.Oid;
      if (curve?.Value == P256 || curve?.FriendlyName == "nistP256") return key;
      throw new CryptographicException("it must be an EC key on the curve P-256");
    }

    /// <summary>Returns the client certificate with its private key, which is an EC or RSA key.</summary>
    public static X509Certificate2 ReadIdentity(string cert, string key) {
      using var certificate = ReadCertificates(cert)[0];
      using var withKey = certificate.GetECDsaPublicKey() != null
        ? certificate.CopyWithPrivateKey(ReadKey(key, ECDsa.Create()))
        : certificate.CopyWithPrivateKey(ReadKey(key, RSA.Create()));
      // TLS on Windows cannot use a private key that exists only in memory.
      return new X509Certificate2(withKey.Export(X509ContentType.Pfx));
    }

    public static X509Certificate2Collection ReadCertificates(string path) {
      var found = Read(path).Where(each => each.Kind == "CERTIFICATE").Select(each => new X509Certificate2(each.Der));
      var certificates = new X509Certificate2Collection(found.ToArray());
      if (certificates.Count == 0) throw new CryptographicException($"{path} contains no certificate");
      return certificates;
    }

    private static T ReadKey<T>(string path, T key) where T : AsymmetricAlgorithm {
      foreach (var (kind, der) in Read(path)) {
        if (kind == "PRIVATE KEY") key.ImportPkcs8PrivateKey(der, out _);
        else if (kind == "EC PRIVATE KEY" && key is ECDsa ec) ec.ImportECPrivateKey(der, out _);
        else if (kind == "RSA PRIVATE KEY" && key is RSA rsa) rsa.ImportRSAPrivateKey(der, out _);
        else continue;
        return key;
      }
      throw new CryptographicException($"{path} contains no private key that fits, in PEM and without a password");
    }

    private static IEnumerable<(string Kind, byte[] Der)> Read(string path) => Block.Matches(File.ReadAllText(path))
      .Select(each => (each.Groups[1].Value, Convert.FromBase64String(each.Groups[2].Value)));
  }

  /// <summary>Signs a request: a detached JWS over the canonical request, ES256 with b64=false.</summary>
  internal static class Signing {
    /// <summary>Returns the five lines to sign. A line feed in a part would shift the next lines.</summary>
    public static byte[] CanonicalRequest(string method, string url, byte[] body, string timestamp, string nonce) {
      using var sha256 = SHA256.Create();
      var hash = string.Concat(sha256.ComputeHash(body).Select(each => each.ToString("x2")));
      var parts = new[] { method, url, hash, timestamp, nonce };
      var isVisible = parts.All(part => Regex.IsMatch(part, @"\A[!-~]+\z"));
      return isVisible ? Encoding.ASCII.GetBytes(string.Join("\n", parts))
        : throw new ArgumentException("method, URL, timestamp and nonce must be visible ASCII and must not be empty");
    }

    /// <summary>Returns X-JWS-Signature for the payload.</summary>
    public static async Task<string> DetachedJws(Func<byte[], Task<byte[]>> signer, byte[] payload, string? kid) {
      var id = kid == null ? "" : $",\"kid\":{JsonSerializer.Serialize(kid)}";
      var header = Base64Url(Encoding.ASCII.GetBytes("{\"alg\":\"ES256\",\"b64\":false,\"crit\":[\"b64\"]" + id + "}"));
      var input = Encoding.ASCII.GetBytes($"{header}.").Concat(payload).ToArray();
      var signature = await signer(input).ConfigureAwait(false);
      if (signature.Length == 64) return $"{header}..{Base64Url(signature)}";
      throw new ArgumentException($"a signature must be the 64 bytes r and s, not DER; got {signature.Length} bytes");
    }

    /// <summary>Returns a signer for an EC key on P-256. SignData returns r and s, and not DER.</summary>
    public static Func<byte[], Task<byte[]>> KeySigner(ECDsa key) => data => {
      // One ECDsa is not safe for several threads.
      lock (key) return Task.FromResult(key.SignData(data, HashAlgorithmName.SHA256));
    };

    private static string Base64Url(byte[] bytes) =>
      Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');
  }
}
