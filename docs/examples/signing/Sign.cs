using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>
/// dotnet run Sign.cs METHOD URL KEY [TIMESTAMP NONCE]: signs a request for the Gold Trading Partner API.
///
/// Reads the body from stdin, and prints the three headers to send. URL is the base URL, as the operator
/// spells it, with the path and the query. KEY is a PKCS#8 file:
/// openssl pkcs8 -topk8 -nocrypt -in signing.key
///
/// It needs .NET Core 3.1 or newer, and only the standard library. `dotnet run FILE` needs .NET 10; with an
/// older version, add the file to a project.
/// </summary>
public static class Sign
{
    private const string Header = "{\"alg\":\"ES256\",\"b64\":false,\"crit\":[\"b64\"]}";
    private const string PemBegin = "-----BEGIN PRIVATE KEY-----";
    private const string PemEnd = "-----END PRIVATE KEY-----";
    private const string P256 = "1.2.840.10045.3.1.7";

    /// <summary>Returns the five lines to sign. A line feed in a part would shift the next lines.</summary>
    public static string CanonicalRequest(
        string method, string url, byte[] body, string timestamp, string nonce)
    {
        using var sha256 = SHA256.Create();
        var parts = new[] { method, url, Hex(sha256.ComputeHash(body)), timestamp, nonce };
        foreach (var part in parts)
        {
            if (!Regex.IsMatch(part, @"\A[!-~]+\z"))
            {
                throw new ArgumentException($"\"{part}\" must be visible ASCII and must not be empty");
            }
        }
        return string.Join("\n", parts);
    }

    /// <summary>
    /// Returns X-JWS-Signature: ES256 over the header, a full stop and the payload, which is not encoded.
    /// </summary>
    public static string DetachedJws(ECDsa key, string payload)
    {
        var header = Base64Url(Encoding.ASCII.GetBytes(Header));
        // SignData returns r and s, 32 bytes each, and not DER.
        var input = Encoding.ASCII.GetBytes($"{header}.{payload}");
        var signature = key.SignData(input, HashAlgorithmName.SHA256);
        return $"{header}..{Base64Url(signature)}";
    }

    public static ECDsa ReadKey(string path)
    {
        var pem = File.ReadAllText(path).Trim();
        if (!pem.StartsWith(PemBegin, StringComparison.Ordinal)
            || !pem.EndsWith(PemEnd, StringComparison.Ordinal))
        {
            throw new ArgumentException(
                "the key must be PKCS#8; convert it: openssl pkcs8 -topk8 -nocrypt -in signing.key");
        }
        var encoded = pem.Substring(PemBegin.Length, pem.Length - PemBegin.Length - PemEnd.Length);
        var key = ECDsa.Create();
        key.ImportPkcs8PrivateKey(Convert.FromBase64String(encoded), out _);
        if (key.ExportParameters(false).Curve.Oid.Value != P256)
        {
            throw new ArgumentException("the key must be an EC key on the curve P-256");
        }
        return key;
    }

    private static string Hex(byte[] bytes) => string.Concat(bytes.Select(each => each.ToString("x2")));

    private static string Base64Url(byte[] bytes) =>
        Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');

    public static int Main(string[] args)
    {
        try
        {
            if (args.Length != 3 && args.Length != 5)
            {
                throw new ArgumentException("usage: Sign METHOD URL KEY [TIMESTAMP NONCE] < BODY");
            }
            var random = new byte[16];
            RandomNumberGenerator.Fill(random);
            var isTest = args.Length == 5;
            var timestamp = isTest ? args[3] : DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
            var nonce = isTest ? args[4] : Hex(random);
            using var body = new MemoryStream();
            Console.OpenStandardInput().CopyTo(body);
            var payload = CanonicalRequest(args[0], args[1], body.ToArray(), timestamp, nonce);
            using var key = ReadKey(args[2]);
            var jws = DetachedJws(key, payload);
            Console.Write($"X-Timestamp: {timestamp}\nX-Nonce: {nonce}\nX-JWS-Signature: {jws}\n");
            return 0;
        }
        catch (Exception error) when (error is ArgumentException || error is IOException
            || error is CryptographicException || error is FormatException)
        {
            Console.Error.WriteLine(error.Message);
            return 1;
        }
    }
}
