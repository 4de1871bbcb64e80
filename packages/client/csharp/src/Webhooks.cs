using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace GoldPartner {
  /// <summary>Verifies the webhooks of the service: Standard Webhooks, version v1.</summary>
  public static class Webhooks {
    private const int ToleranceSeconds = 300;
    private const int BodyMaxBytes = 64 * 1024;

    /// <summary>
    /// Verifies a webhook and reads its event. Accepts a delivery that one of the secrets signed, within 300 seconds.
    /// <code>var webhook = Webhooks.Verify(body, name => request.Headers[name], secrets, clientId);</code>
    /// </summary>
    /// <param name="body">the bytes as they were received, before any parser</param>
    /// <param name="header">returns the value of a header, or null; names match in any case</param>
    /// <param name="secrets">your active secrets, whsec_…; two while one replaces the other</param>
    /// <param name="clientId">
    /// your client_id; an event that was sent to another partner's endpoint is refused. An event of a service before
    /// 0.7.0 names no partner, and is accepted. Without it, none is compared.
    /// </param>
    /// <exception cref="WebhookVerificationException">refuse the delivery, or a secret is invalid</exception>
    public static VerifiedWebhook Verify(
        byte[] body, Func<string, string?> header, IEnumerable<string> secrets, string? clientId = null) =>
      VerifyAt(DateTimeOffset.UtcNow, body, header, secrets, clientId);

    internal static VerifiedWebhook VerifyAt(
        DateTimeOffset now, byte[] body, Func<string, string?> header, IEnumerable<string> secrets, string? clientId) {
      var (id, timestamp) = VerifySignature(body, header, secrets, now);
      WebhookEvent read;
      try {
        read = Json.Read(body, json => new WebhookEvent(json));
      } catch (FormatException cause) {
        throw Refuse("event_invalid", $"The signature is correct, but the body is no event: {cause.Message}.");
      }
      if (read.Id != id) {
        throw Refuse("event_invalid", "The signature is correct, but the id in the body differs from the webhook-id.");
      }
      if (clientId == null || read.ClientId == null || read.ClientId == clientId) {
        return new VerifiedWebhook(id, timestamp, read);
      }
      throw Refuse("client_mismatch",
        "The event was sent to another partner's endpoint, or clientId is wrong; call the operator.");
    }

    /// <summary>Returns webhook-signature as the service makes it, for tests of your receiver.</summary>
    /// <param name="secret">whsec_…</param>
    /// <param name="id">the webhook-id</param>
    /// <param name="timestamp">the webhook-timestamp: Unix time in seconds</param>
    /// <param name="body">the bytes of the body</param>
    public static string Sign(string secret, string id, long timestamp, byte[] body) =>
      Signature(SecretKey(secret), id, $"{timestamp}", body);

    /// <summary>Returns the id and the time of the delivery if one of the secrets signed exactly these bytes.</summary>
    internal static (string Id, DateTimeOffset Timestamp) VerifySignature(
        byte[] body, Func<string, string?> header, IEnumerable<string> secrets, DateTimeOffset now) {
      var keys = secrets.Select(SecretKey).ToArray();
      if (keys.Length == 0) throw Refuse("argument_invalid", "Pass at least one secret, whsec_….");
      // Checked before any computation over the body, because the sender is not known yet.
      if (body.Length > BodyMaxBytes) {
        throw Refuse("body_too_long", $"The body is longer than {BodyMaxBytes} bytes, so it is not a delivery.");
      }
      // A full stop separates the signed parts, and a comma joins the values of a repeated header.
      var id = Read(header, "webhook-id", @"[!-+\-/-~]{1,255}", "1 to 255 visible ASCII characters without , and .");
      var timestamp = Read(header, "webhook-timestamp", "[1-9][0-9]{9}", "Unix time in seconds, ten digits");
      var signatures = Read(header, "webhook-signature", "(?s).{1,4096}", "at most 4,096 characters long");
      var sentAt = DateTimeOffset.FromUnixTimeSeconds(long.Parse(timestamp));
      var age = (long)(now - sentAt).TotalSeconds;
      if (Math.Abs(age) > ToleranceSeconds) {
        throw Refuse(age > 0 ? "timestamp_too_old" : "timestamp_too_new",
          $"webhook-timestamp is {Math.Abs(age)} s from this clock: a replay, or a wrong clock.");
      }
      var offered = signatures.Split(' ').Where(one => one.StartsWith("v1,", StringComparison.Ordinal))
        .Select(Encoding.UTF8.GetBytes).ToArray();
      if (offered.Length == 0) {
        throw Refuse("signature_version_unknown", "webhook-signature contains no v1 signature.");
      }
      var matches = false;
      foreach (var key in keys) {
        var expected = Encoding.UTF8.GetBytes(Signature(key, id, timestamp, body));
        // Every pair is compared, in constant time.
        foreach (var one in offered) matches |= CryptographicOperations.FixedTimeEquals(expected, one);
      }
      if (matches) return (id, sentAt);
      throw Refuse("signature_mismatch",
        "No signature matches these bytes and secrets: pass the raw body and every active secret.");
    }

    private static string Signature(byte[] key, string id, string timestamp, byte[] body) {
      using var hmac = new HMACSHA256(key);
      var signed = Encoding.UTF8.GetBytes($"{id}.{timestamp}.").Concat(body).ToArray();
      return $"v1,{Convert.ToBase64String(hmac.ComputeHash(signed))}";
    }

    /// <summary>Returns the key of whsec_ and padded base64 of 24 to 64 bytes. No exception shows it.</summary>
    private static byte[] SecretKey(string text) {
      var encoded = text?.StartsWith("whsec_", StringComparison.Ordinal) == true ? text.Substring("whsec_".Length) : "";
      var key = new byte[encoded.Length];
      var isBase64 = Convert.TryFromBase64String(encoded, key, out var length);
      Array.Resize(ref key, length);
      if (isBase64 && length >= 24 && length <= 64 && Convert.ToBase64String(key) == encoded) return key;
      throw Refuse("secret_invalid", "A webhook secret must be whsec_ and padded base64 of 24 to 64 bytes.");
    }

    private static string Read(Func<string, string?> header, string name, string form, string says) {
      var value = header(name);
      if (string.IsNullOrEmpty(value)) throw Refuse("header_missing", $"The header {name} is missing.");
      if (Regex.IsMatch(value, $@"\A{form}\z")) return value;
      throw Refuse("header_invalid", $"{name} must be {says}.");
    }

    private static Exception Refuse(string code, string what) => new WebhookVerificationException(code, what);
  }

  /// <summary>A webhook whose signature is correct.</summary>
  public sealed class VerifiedWebhook {
    internal VerifiedWebhook(string id, DateTimeOffset timestamp, WebhookEvent received) =>
      (Id, Timestamp, Event) = (id, timestamp, received);

    /// <summary>The event's id. If you have it already, acknowledge the delivery and do nothing.</summary>
    public string Id { get; }
    /// <summary>When this attempt was signed.</summary>
    public DateTimeOffset Timestamp { get; }
    /// <summary>The event.</summary>
    public WebhookEvent Event { get; }
  }

  /// <summary>
  /// The only exception of <see cref="Webhooks.Verify"/>. Decide by <see cref="Code"/>. signature_mismatch,
  /// client_mismatch, signature_version_unknown, timestamp_too_old, timestamp_too_new, header_missing, header_invalid,
  /// body_too_long and event_invalid: refuse the delivery with 400. secret_invalid and argument_invalid: a mistake in
  /// your program.
  /// </summary>
  public sealed class WebhookVerificationException : Exception {
    internal WebhookVerificationException(string code, string detail) : base($"{code}: {detail}") => Code = code;

    /// <summary>What is wrong.</summary>
    public string Code { get; }
  }
}
