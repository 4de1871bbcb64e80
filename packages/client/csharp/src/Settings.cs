using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace GoldPartner {
  /// <summary>The service's URL, your credentials and the limits, for <c>new GoldClient(settings)</c>.</summary>
  public sealed class Settings {
    private const string FileVariable = "GOLD_CREDENTIALS";
    private static readonly string[] Files = { "cert", "key", "ca", "signing_key" };
    private static readonly string[] Required = { "base_url", "client_id", "client_secret", "cert", "key" };
    private static readonly string[] Optional = { "ca", "signing_key" };

    /// <summary>Starts with no certificate and no keys.</summary>
    public Settings(string baseUrl, string clientId, string clientSecret) =>
      (BaseUrl, ClientId, ClientSecret) = (baseUrl, clientId, clientSecret);

    /// <summary>The service's URL without a path, such as https://localhost:8443. Signatures cover it.</summary>
    public string BaseUrl { get; set; }
    /// <summary>Your client_id.</summary>
    public string ClientId { get; set; }
    /// <summary>One of your active secrets.</summary>
    public string ClientSecret { get; set; }
    /// <summary>The path of the PEM file with your client certificate.</summary>
    public string? Cert { get; set; }
    /// <summary>The path of the PEM file with the certificate's private key, in PKCS#8, SEC1 or PKCS#1.</summary>
    public string? Key { get; set; }
    /// <summary>The path of the PEM file with the CA of the service. Null: the system's CAs are trusted.</summary>
    public string? Ca { get; set; }
    /// <summary>The path of the PEM file with the key that signs orders, in PKCS#8 or SEC1.</summary>
    public string? SigningKey { get; set; }
    /// <summary>Your HSM, instead of SigningKey: takes bytes, and returns the 64 bytes r and s of ES256.</summary>
    public Func<byte[], Task<byte[]>>? Signer { get; set; }
    /// <summary>The id of the signing key, for the header of each signature. It can always be left out.</summary>
    public string? Kid { get; set; }
    /// <summary>The limit for one try, at most a day.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(20);
    /// <summary>The limit for a call with all its tries and pauses, at most a day.</summary>
    public TimeSpan Patience { get; set; } = TimeSpan.FromSeconds(60);
    /// <summary>The greatest number of tries of a call.</summary>
    public int TriesMax { get; set; } = 8;
    /// <summary>Gets a report after each try.</summary>
    public Action<TryReport>? Observer { get; set; }

    /// <summary>Tests replace the clock, the pauses, the connections and the limit for the wait for a byte.</summary>
    internal Func<DateTimeOffset> Now { get; set; } = () => DateTimeOffset.UtcNow;
    internal Func<TimeSpan, CancellationToken, Task> Sleep { get; set; } = Task.Delay;
    internal HttpMessageHandler? Handler { get; set; }
    internal X509Certificate2? Identity { get; private set; }
    internal TimeSpan SilenceMax { get; set; } = TimeSpan.FromSeconds(30); // the service writes every 10 seconds

    /// <summary>Reads a credentials.json. Paths in it start at the file's folder.</summary>
    /// <exception cref="GoldException">configuration_invalid: the file cannot be read or is incomplete</exception>
    public static Settings FromCredentials(string file) => FromEnvironment(name => name == FileVariable ? file : null);

    /// <summary>
    /// Reads the settings that environment variables name. GOLD_CREDENTIALS is the path of a credentials.json. A
    /// variable such as GOLD_BASE_URL overrides the file's member.
    /// </summary>
    /// <exception cref="GoldException">configuration_invalid: a variable is missing, or the file unusable</exception>
    public static Settings FromEnvironment() => FromEnvironment(Environment.GetEnvironmentVariable);

    internal static Settings FromEnvironment(Func<string, string?> variable) {
      var file = variable(FileVariable) ?? "";
      var members = file == "" ? new Dictionary<string, string>() : ReadFile(file);
      foreach (var name in Required.Concat(Optional)) {
        var value = variable($"GOLD_{name.ToUpperInvariant()}") ?? "";
        if (value != "") members[name] = value;
      }
      string? Find(string name) => members.GetValueOrDefault(name);
      var needed = Required.Concat(Optional.Where(members.ContainsKey));
      var mistakes = needed.Where(name => string.IsNullOrEmpty(Find(name))).Select(name =>
        $"{name} (or GOLD_{name.ToUpperInvariant()})").ToArray();
      if (mistakes.Length == 0) {
        return new Settings(Find("base_url")!, Find("client_id")!, Find("client_secret")!) {
          Cert = Find("cert"), Key = Find("key"), Ca = Find("ca"), SigningKey = Find("signing_key"),
        };
      }
      throw Failure.Unsent("configuration_invalid", "The client's credentials are incomplete. These must be texts that"
        + $" are not empty: {string.Join(", ", mistakes)}.");
    }

    /// <summary>Leaves out the secret, so that no log shows it.</summary>
    public override string ToString() => $"Settings({BaseUrl}, {ClientId})";

    /// <summary>Returns a complete copy. Throws one GoldException that lists all mistakes.</summary>
    internal Settings Checked() {
      var copy = (Settings)MemberwiseClone();
      var mistakes = new List<string>();
      if (string.IsNullOrEmpty(ClientId)) mistakes.Add("client_id is missing.");
      if (string.IsNullOrEmpty(ClientSecret)) mistakes.Add("client_secret is missing.");
      foreach (var (name, limit) in new[] { (nameof(Timeout), Timeout), (nameof(Patience), Patience) }) {
        var isLimit = limit > TimeSpan.Zero && limit <= TimeSpan.FromDays(1);
        if (!isLimit) mistakes.Add($"{name} must be above 0 and at most a day; got {limit}.");
      }
      if (TriesMax < 1) mistakes.Add($"TriesMax must be above 0; got {TriesMax}.");
      if (!Regex.IsMatch(Kid ?? "-", @"\A[!-~]{1,128}\z")) mistakes.Add("Kid must be 1 to 128 characters of ASCII.");
      const string Origin = @"\Ahttps://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?\z";
      if (Regex.IsMatch(BaseUrl ?? "", Origin)) copy.BaseUrl = BaseUrl!.TrimEnd('/');
      else mistakes.Add("base_url must be https:// and a host without a path, such as https://localhost:8443.");
      try {
        if (SigningKey != null) copy.Signer ??= Signing.KeySigner(Pem.ReadSigningKey(SigningKey));
      } catch (Exception cause) when (IsOfFile(cause)) {
        mistakes.Add($"signing_key cannot be used: {cause.Message.TrimEnd('.')}.");
      }
      try {
        if (Handler == null && (Cert == null || Key == null)) mistakes.Add("cert and key are missing.");
        else if (Handler == null) {
          copy.Identity = Pem.ReadIdentity(Cert!, Key!);
          copy.Handler = Tls.Handler(copy.Identity, Ca == null ? null : Pem.ReadCertificates(Ca));
        }
      } catch (Exception cause) when (IsOfFile(cause)) {
        mistakes.Add($"cert, key or ca cannot be used: {cause.Message.TrimEnd('.')}.");
      }
      if (mistakes.Count == 0) return copy;
      throw Failure.Unsent("configuration_invalid", $"The client cannot be opened. {string.Join(" ", mistakes)}");
    }

    private static bool IsOfFile(Exception error) => error is IOException || error is UnauthorizedAccessException
      || error is CryptographicException || error is FormatException || error is ArgumentException;

    /// <summary>Returns the members of a credentials.json. A member that is not a text is empty here.</summary>
    private static Dictionary<string, string> ReadFile(string file) {
      try {
        using var document = JsonDocument.Parse(File.ReadAllBytes(file));
        var folder = Path.GetDirectoryName(Path.GetFullPath(file))!;
        return document.RootElement.EnumerateObject().ToDictionary(member => member.Name, member => {
          var text = member.Value.ValueKind == JsonValueKind.String ? member.Value.GetString() : "";
          return text != "" && Files.Contains(member.Name) ? Path.Combine(folder, text) : text;
        });
      } catch (Exception cause) when (IsOfFile(cause) || cause is JsonException || cause is InvalidOperationException) {
        // A parser's message could contain the secret.
        var reason = cause is IOException || cause is UnauthorizedAccessException ? cause.Message : "it is not JSON.";
        throw Failure.Unsent("configuration_invalid", $"{file} cannot be read as credentials.json: {reason}");
      }
    }
  }
}
