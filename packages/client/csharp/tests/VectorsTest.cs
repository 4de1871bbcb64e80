using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;

namespace GoldPartner.Tests {
  /// <summary>Compares the package with the language-neutral test vectors.</summary>
  internal static class VectorsTest {
    private const string Header = "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19";
    private const string XOfRfc6979 = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721";

    /// <summary>Returns the cases of a file that concern a client.</summary>
    private static List<JsonElement> Cases(string file, int atLeast, Func<JsonElement, bool>? applies = null) {
      var document = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(Program.Vectors, $"{file}.json")));
      var found = document.RootElement.GetProperty("cases").EnumerateArray().Where(applies ?? (each => true)).ToList();
      Check.True(found.Count >= atLeast, $"{file} has {found.Count} cases");
      return found;
    }

    /// <summary>The client computes the hash of the body itself, so it has no case for a wrong hash.</summary>
    [Test]
    public static void CanonicalRequests() {
      foreach (var each in Cases("canonical_request", 46, one => Find(one, "reason") != "invalid_body_hash")) {
        string Canonical() => Encoding.ASCII.GetString(Signing.CanonicalRequest(
          Text(each, "method"), Text(each, "url"), BytesOf(each), Text(each, "timestamp"), Text(each, "nonce")));
        if (Find(each, "reason") == null) Check.Equal(Text(each, "canonical"), Canonical(), Text(each, "name"));
        else Check.Throws<ArgumentException>(() => Canonical(), Text(each, "name"));
      }
    }

    /// <summary>The client makes one form of the header. Its signatures are random, so they are verified.</summary>
    [Test]
    public static async Task Signatures() {
      var cases = Cases("detached_jws", 5, one => one.GetProperty("valid").GetBoolean()
        && Text(one, "jws").StartsWith($"{Header}..", StringComparison.Ordinal));
      foreach (var each in cases) {
        var name = Text(each, "name");
        var known = Base64Url(Text(each, "jws").Substring(Header.Length + 2));
        var signed = Array.Empty<byte>();
        var jws = await Signing.DetachedJws(data => {
          signed = data;
          return Task.FromResult(known);
        }, Hex(Text(each, "payload_hex")), null);
        Check.Equal(Text(each, "jws"), jws, name);
        var jwk = each.GetProperty("jwk");
        var parameters = new ECParameters {
          Curve = ECCurve.NamedCurves.nistP256,
          Q = new ECPoint { X = Base64Url(Text(jwk, "x")), Y = Base64Url(Text(jwk, "y")) },
        };
        using var publicKey = ECDsa.Create(parameters);
        Check.True(publicKey.VerifyData(signed, known, HashAlgorithmName.SHA256), name);
        parameters.D = Hex(XOfRfc6979);
        using var privateKey = ECDsa.Create(parameters);
        var own = await Signing.KeySigner(privateKey)(signed);
        Check.True(publicKey.VerifyData(signed, own, HashAlgorithmName.SHA256), name);
      }
    }

    /// <summary>
    /// Only the service rounds. JSON allows a space before a number, so that case cannot be refused here. A decimal
    /// has 28 digits, so a greater number of the vectors is refused.
    /// </summary>
    [Test]
    public static void Quantities() {
      var tooLarge = 0;
      foreach (var each in Cases("money", 60, one => Text(one, "operation") == "format"
        || (Text(one, "operation") == "parse" && !Text(one, "json").StartsWith(' ')))) {
        var name = Text(each, "name");
        var decimals = Text(each, "quantity") == "sar" ? 2 : 4;
        decimal Parse() => Call.Exact("value", Json.Read(Encoding.UTF8.GetBytes($"{{\"value\":{Text(each, "json")}}}"),
          json => json.Get("value", Json.Decimal)), decimals);
        if (Find(each, "reason") != null) {
          Check.Throws<Exception>(() => Parse(), name);
          continue;
        }
        if (BigInteger.Parse(Text(each, "units")) > new BigInteger(decimal.MaxValue / 10_000)) {
          Check.Throws<FormatException>(() => Parse(), name);
          tooLarge++;
          continue;
        }
        var value = decimal.Parse(Text(each, "units"), CultureInfo.InvariantCulture) / (decimal)Math.Pow(10, decimals);
        if (Text(each, "operation") == "parse") Check.Equal(value, Parse(), name);
        else if (value <= 0) Check.Throws<GoldException>(() => Call.Exact("value", value, decimals), name);
        else Check.Equal(Text(each, "text"), Written(Call.Exact("value", value, decimals)), name);
      }
      Check.Equal(2, tooLarge);
    }

    private static string Written(decimal value) {
      var request = Encoding.UTF8.GetString(Json.Write(new QuoteRequest("buy") { AmountSar = 1, GoldGrams = value }));
      return request.Split("\"gold_grams\":")[1].Split(',', '}')[0];
    }

    [Test]
    public static void Deliveries() {
      foreach (var each in Cases("webhook", 47)) {
        var secrets = each.TryGetProperty("secrets", out var list)
          ? list.EnumerateArray().Select(one => one.GetString()).ToArray()
          : Array.Empty<string>();
        if (Find(each, "secret") is string secret) {
          Refuses(each, () => Webhooks.Sign(secret, "evt_1", 1_700_000_000, Array.Empty<byte>()));
        } else if (!each.TryGetProperty("headers", out var headers)) {
          var timestamp = long.Parse(Text(each, "timestamp"));
          var signed = secrets.Select(one => Webhooks.Sign(one, Text(each, "id"), timestamp, BytesOf(each)));
          Check.Equal(Text(each, "signature"), string.Join(" ", signed), Text(each, "name"));
        } else {
          var values = headers.EnumerateObject()
            .ToDictionary(one => one.Name, one => one.Value.GetString(), StringComparer.OrdinalIgnoreCase);
          var now = DateTimeOffset.FromUnixTimeSeconds(each.GetProperty("now_seconds").GetInt64());
          var clientId = Find(each, "client_id");
          void Verify() {
            // Only bodies of cases with client_id are events.
            if (clientId == null) Webhooks.VerifySignature(BytesOf(each), values.GetValueOrDefault, secrets, now);
            else Webhooks.VerifyAt(now, BytesOf(each), values.GetValueOrDefault, secrets, clientId);
          }
          if (each.GetProperty("valid").GetBoolean()) Verify();
          else Refuses(each, Verify);
        }
      }
    }

    private static void Refuses(JsonElement vector, Action act) {
      var name = Text(vector, "name");
      Check.Equal(Text(vector, "reason"), Check.Throws<WebhookVerificationException>(act, name).Code, name);
    }

    /// <summary>An independent model: it follows docs/chain.md and shares no code with the service.</summary>
    [Test]
    public static void HashChain() {
      var head = new byte[32];
      foreach (var each in Cases("chain", 6)) {
        var line = ChainLine(each);
        Check.Equal(Text(each, "line"), line, Text(each, "name"));
        Check.Equal(Text(each, "previous_chain_head"), ToHex(head), Text(each, "name"));
        head = Sha256(head, Encoding.UTF8.GetBytes(line));
        Check.Equal(Text(each, "chain_head"), ToHex(head), Text(each, "name"));
      }
    }

    private static string ChainLine(JsonElement vector) {
      var members = Text(vector, "members");
      if (Text(vector, "version") == "1") return $"1|{members}";
      var answer = vector.TryGetProperty("answer", out var found) ? AnswerOf(found) : "";
      var salt = Sha256(Hex(Text(vector, "chain_key")), Hex(long.Parse(Text(vector, "sequence")).ToString("x16")));
      return $"2|{members}|{answer}|{ToHex(salt.Take(16).ToArray())}";
    }

    private static string AnswerOf(JsonElement answer) {
      var parts = new[] { "method", "target", "timestamp", "nonce", "signature", "body_utf8" };
      var request = answer.TryGetProperty("signed", out var signed)
        ? parts.Select(part => Text(signed, part))
        : Array.Empty<string>();
      var lines = new[] {
        Text(answer, "key"), Text(answer, "fingerprint"), Text(answer, "status"), Text(answer, "request_id"),
        HashOf(Text(answer, "body_utf8")), HashOf(string.Join("\n", request)), Find(answer, "thumbprint") ?? "",
      };
      return HashOf(string.Join("\n", lines) + "\n");
    }

    private static string HashOf(string text) => ToHex(Sha256(Encoding.UTF8.GetBytes(text)));

    private static byte[] Sha256(params byte[][] parts) {
      using var sha256 = SHA256.Create();
      return sha256.ComputeHash(parts.SelectMany(part => part).ToArray());
    }

    private static byte[] BytesOf(JsonElement vector) => Find(vector, "body_hex") is string hex
      ? Hex(hex) : Encoding.UTF8.GetBytes(Text(vector, "body_utf8"));

    private static byte[] Hex(string text) =>
      Enumerable.Range(0, text.Length / 2).Select(at => Convert.ToByte(text.Substring(2 * at, 2), 16)).ToArray();

    private static string ToHex(byte[] bytes) => string.Concat(bytes.Select(each => each.ToString("x2")));

    private static byte[] Base64Url(string text) =>
      Convert.FromBase64String(text.Replace('-', '+').Replace('_', '/').PadRight((text.Length + 3) / 4 * 4, '='));

    private static string Text(JsonElement value, string name) => value.GetProperty(name).ToString();

    private static string? Find(JsonElement value, string name) =>
      value.TryGetProperty(name, out var member) && member.ValueKind != JsonValueKind.Null ? member.ToString() : null;
  }
}
