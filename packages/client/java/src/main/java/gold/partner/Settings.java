package gold.partner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The service's URL, the partner's credentials, and the limits on time and tries. Set what differs from the
 * defaults, and open a client:
 *
 * <pre>{@code
 * var client = new GoldClient(Settings.fromEnv().timeout(Duration.ofSeconds(10)));
 * }</pre>
 */
public final class Settings {
  /** Signs in place of a key in a file, for example with your HSM. */
  @FunctionalInterface
  public interface Signer {
    /**
     * Signs bytes with ES256.
     *
     * @param data the bytes to sign; the signer hashes them with SHA-256
     * @return the 64 bytes r and s, not DER
     * @throws Exception if the key cannot be used; the call then fails with {@code signing_failed}
     */
    byte[] sign(byte[] data) throws Exception;
  }

  /**
   * The result of one try of a call, for logs and metrics. It never has a secret, a token or a body. The first try
   * has {@code tries} 1. If no reply arrived, {@code status} is 0. These are null: {@code code} if the try succeeded,
   * {@code requestId} if the reply had none, and {@code retryIn}, the pause, if no other try follows.
   */
  public record TryReport(
      String operation, int tries, Duration duration, int status, String code, String requestId, Duration retryIn) {}

  String baseUrl;
  String clientId;
  String clientSecret;
  Path cert;
  Path key;
  Path ca;
  Path signingKey;
  Signer signer;
  String kid;
  Duration timeout = Duration.ofSeconds(20);
  Duration patience = Duration.ofSeconds(60);
  int triesMax = 8;
  Consumer<TryReport> observer = report -> {};
  Clock clock = Clock.systemUTC();
  /** Makes a pause, which ends at the latest when the latch is at 0. */
  BiConsumer<Duration, CountDownLatch> sleeper = Exchange::sleep;
  Function<Settings, Transport> transport = Transport::open;
  /** After this much silence, a stream reconnects. The service sends a comment if it sends nothing else for 10 s. */
  Duration silenceMax = Duration.ofSeconds(30);

  /**
   * Starts with no credentials.
   *
   * @param baseUrl the service's URL without a path, such as https://localhost:8443. Signatures cover it.
   * @param clientId your client_id
   * @param clientSecret one of your active secrets
   */
  public Settings(String baseUrl, String clientId, String clientSecret) {
    this.baseUrl = baseUrl;
    this.clientId = clientId;
    this.clientSecret = clientSecret;
  }

  /**
   * Reads a {@code credentials.json}. Paths in it start at the file's folder.
   *
   * @param file the path of the file
   * @throws GoldException {@code configuration_invalid} if the file cannot be read
   */
  public static Settings fromCredentials(Path file) {
    return fromEnv(Map.of("GOLD_CREDENTIALS", file.toString()));
  }

  /**
   * Reads the settings that environment variables name. {@code GOLD_CREDENTIALS} is the path of a
   * {@code credentials.json}. A variable such as {@code GOLD_BASE_URL} overrides the file's member.
   *
   * @throws GoldException {@code configuration_invalid} if the file cannot be read
   */
  public static Settings fromEnv() {
    return fromEnv(System.getenv());
  }

  static Settings fromEnv(Map<String, String> env) {
    Path file = Path.of(env.getOrDefault("GOLD_CREDENTIALS", ""));
    JsonNode members = file.toString().isEmpty() ? Json.MAPPER.createObjectNode() : read(file);
    UnaryOperator<String> variable = name -> env.getOrDefault("GOLD_" + name.toUpperCase(Locale.ROOT), "");
    UnaryOperator<String> text = name ->
        variable.apply(name).isEmpty() ? members.path(name).asText(null) : variable.apply(name);
    Function<String, Path> path = name -> !variable.apply(name).isEmpty() ? Path.of(variable.apply(name))
        : members.hasNonNull(name) ? file.resolveSibling(members.get(name).asText()) : null;
    return new Settings(text.apply("base_url"), text.apply("client_id"), text.apply("client_secret"))
        .certificate(path.apply("cert"), path.apply("key")).ca(path.apply("ca")).signingKey(path.apply("signing_key"));
  }

  /** Sets the client certificate and its private key: paths of PEM files, the key in PKCS#8 or SEC1. */
  public Settings certificate(Path cert, Path key) {
    this.cert = cert;
    this.key = key;
    return this;
  }

  /** Sets the path of the PEM file with the CA of the service. Without it, the CAs of Java are trusted. */
  public Settings ca(Path ca) {
    this.ca = ca;
    return this;
  }

  /** Sets the path of the PEM file with the key that signs orders, in PKCS#8 or SEC1. */
  public Settings signingKey(Path signingKey) {
    this.signingKey = signingKey;
    return this;
  }

  /** Sets a signer in place of signingKey, for an HSM. */
  public Settings signer(Signer signer) {
    this.signer = signer;
    this.signingKey = null;
    return this;
  }

  /** Sets the id of the signing key, for the header of each signature. Leaving it out is always correct. */
  public Settings kid(String kid) {
    this.kid = kid;
    return this;
  }

  /** Sets the limit for one try; by default 20 seconds. */
  public Settings timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** Sets the limit for a call with all its tries and pauses; by default 60 seconds. */
  public Settings patience(Duration patience) {
    this.patience = patience;
    return this;
  }

  /** Sets the greatest number of tries of a call; by default 8. */
  public Settings triesMax(int triesMax) {
    this.triesMax = triesMax;
    return this;
  }

  /** Sets a function that gets a report after each try. */
  public Settings observer(Consumer<TryReport> observer) {
    this.observer = observer;
    return this;
  }

  /** Returns a copy with the signer of signingKey. Throws one GoldException that lists all mistakes. */
  Settings checked() {
    List<String> mistakes = new ArrayList<>();
    if (baseUrl == null || !baseUrl.matches("https://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?/?")) {
      mistakes.add("base_url (GOLD_BASE_URL) must be https:// and a host without a path, such as https://host:8443.");
    }
    if (clientId == null || clientId.isEmpty()) mistakes.add("client_id (GOLD_CLIENT_ID) is missing.");
    if (clientSecret == null || clientSecret.isEmpty()) mistakes.add("client_secret (GOLD_CLIENT_SECRET) is missing.");
    if (cert == null || key == null) mistakes.add("cert (GOLD_CERT) or key (GOLD_KEY) is missing.");
    if (timeout.compareTo(Duration.ZERO) <= 0) mistakes.add("timeout must be above 0; got " + timeout + ".");
    if (patience.compareTo(Duration.ZERO) <= 0) mistakes.add("patience must be above 0; got " + patience + ".");
    if (triesMax < 1) mistakes.add("triesMax must be above 0; got " + triesMax + ".");
    if (kid != null && !kid.matches("[!-~]{1,128}")) mistakes.add("kid must be 1 to 128 visible ASCII characters.");
    Settings copy = new Settings(("" + baseUrl).replaceFirst("/$", ""), clientId, clientSecret).certificate(cert, key)
        .ca(ca).signer(signer).kid(kid).timeout(timeout).patience(patience).triesMax(triesMax).observer(observer);
    copy.clock = clock;
    copy.sleeper = sleeper;
    copy.silenceMax = silenceMax;
    try {
      if (signingKey != null) copy.signer = Crypto.readSigner(signingKey);
    } catch (IOException | GeneralSecurityException | IllegalArgumentException cause) {
      mistakes.add("signing_key cannot be used: " + cause + ".");
    }
    if (mistakes.isEmpty()) return copy;
    throw new GoldException("configuration_invalid", "The client cannot be opened. " + String.join(" ", mistakes));
  }

  private static JsonNode read(Path file) {
    try {
      return Json.read(Files.readAllBytes(file), ObjectNode.class);
    } catch (IOException cause) {
      // A message of the parser can quote a part of the file, which contains the secret.
      throw new GoldException("configuration_invalid",
          file + " cannot be read as credentials.json: " + cause.getClass().getSimpleName() + ".");
    }
  }
}
