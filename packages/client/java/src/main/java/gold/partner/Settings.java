package gold.partner;

import com.fasterxml.jackson.core.JacksonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * The service's URL, the partner's credentials, and the limits on time and tries. Set what differs from the
 * defaults, and open a client:
 *
 * <pre>{@code
 * var client = new GoldClient(Settings.fromEnv().timeout(Duration.ofSeconds(10)));
 * }</pre>
 */
public final class Settings {
  private static final String FILE_VARIABLE = "GOLD_CREDENTIALS";
  private static final Pattern ORIGIN = Pattern.compile("https://[A-Za-z0-9.:\\[\\]-]+/?");
  private static final List<String> NAMES =
      List.of("base_url", "client_id", "client_secret", "cert", "key", "ca", "signing_key");
  private static final List<String> FILES = List.of("cert", "key", "ca", "signing_key");
  private static final List<String> OPTIONAL = List.of("ca", "signing_key");

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
  Consumer<Duration> sleeper = Exchange::sleep;
  /** After this much silence, a stream reconnects. The service sends a comment every 10 seconds. */
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
   * @return the settings
   * @throws GoldException {@code configuration_invalid} if the file cannot be read or is incomplete
   */
  public static Settings fromCredentials(Path file) {
    return complete(read(file), name -> name + " in " + file);
  }

  /**
   * Reads the settings that environment variables name. {@code GOLD_CREDENTIALS} is the path of a
   * {@code credentials.json}. A variable such as {@code GOLD_BASE_URL} overrides the file's member.
   *
   * @return the settings
   * @throws GoldException {@code configuration_invalid} if a variable is missing or the file cannot be read
   */
  public static Settings fromEnv() {
    return fromEnv(System.getenv());
  }

  static Settings fromEnv(Map<String, String> env) {
    String file = env.getOrDefault(FILE_VARIABLE, "");
    Map<String, Object> members = file.isEmpty() ? new LinkedHashMap<>() : read(Path.of(file));
    for (String name : NAMES) {
      String value = env.getOrDefault(variable(name), "");
      if (!value.isEmpty()) members.put(name, value);
    }
    return complete(members, name -> variable(name) + " (or " + name + " in the file of " + FILE_VARIABLE + ")");
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

  /** Leaves out the secret, so that no log shows it. */
  @Override
  public String toString() {
    return "Settings(" + baseUrl + ", " + clientId + ")";
  }

  /** Returns a copy with the signer of signingKey. Throws one GoldException that lists all mistakes. */
  Settings checked() {
    List<String> mistakes = new ArrayList<>();
    Settings copy = new Settings(baseUrl, clientId, clientSecret).certificate(cert, key).ca(ca).kid(kid)
        .timeout(timeout).patience(patience).triesMax(triesMax).observer(observer);
    copy.clock = clock;
    copy.sleeper = sleeper;
    copy.silenceMax = silenceMax;
    copy.signer = signer;
    copy.signingKey = signingKey;
    if (clientId == null || clientId.isEmpty()) mistakes.add("client_id is missing.");
    if (clientSecret == null || clientSecret.isEmpty()) mistakes.add("client_secret is missing.");
    if (timeout.isNegative() || timeout.isZero()) mistakes.add("timeout must be above 0; got " + timeout + ".");
    if (patience.isNegative() || patience.isZero()) mistakes.add("patience must be above 0; got " + patience + ".");
    if (triesMax < 1) mistakes.add("triesMax must be above 0; got " + triesMax + ".");
    if (kid != null && !kid.matches("[!-~]{1,128}")) {
      mistakes.add("kid must be 1 to 128 visible ASCII characters.");
    }
    if (baseUrl == null || !ORIGIN.matcher(baseUrl).matches()) {
      mistakes.add("base_url must be https:// and a host without a path, such as https://localhost:8443.");
    } else {
      copy.baseUrl = baseUrl.replaceFirst("/$", "");
    }
    if (signingKey != null) {
      try {
        copy.signer = Crypto.readSigner(signingKey);
      } catch (IOException | GeneralSecurityException | IllegalArgumentException cause) {
        mistakes.add("signing_key cannot be used: " + cause.getMessage() + ".");
      }
    }
    if (mistakes.isEmpty()) return copy;
    throw new GoldException("configuration_invalid", "The client cannot be opened. " + String.join(" ", mistakes));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> read(Path file) {
    Map<String, Object> members;
    try {
      members = Json.read(Files.readAllBytes(file), LinkedHashMap.class);
    } catch (JacksonException cause) {
      // The exception of the parser can quote a part of the file, which contains the secret.
      throw new GoldException("configuration_invalid", file + " cannot be read as credentials.json: it is not JSON.");
    } catch (IOException cause) {
      throw new GoldException("configuration_invalid",
          file + " cannot be read as credentials.json: " + cause.getMessage() + ".", cause);
    }
    FILES.forEach(name -> {
      if (members.get(name) instanceof String path) members.put(name, file.resolveSibling(path).toString());
    });
    return members;
  }

  private static Settings complete(Map<String, Object> members, UnaryOperator<String> nameOf) {
    List<String> mistakes = new ArrayList<>();
    for (String name : NAMES) {
      boolean isText = members.get(name) instanceof String text && !text.isEmpty();
      if (!isText && (members.containsKey(name) || !OPTIONAL.contains(name))) mistakes.add(nameOf.apply(name));
    }
    if (!mistakes.isEmpty()) {
      throw new GoldException("configuration_invalid", "The client's credentials are incomplete. These must be texts"
          + " that are not empty: " + String.join(", ", mistakes) + ".");
    }
    return new Settings((String) members.get("base_url"), (String) members.get("client_id"),
        (String) members.get("client_secret"))
        .certificate(path(members, "cert"), path(members, "key")).ca(path(members, "ca"))
        .signingKey(path(members, "signing_key"));
  }

  private static Path path(Map<String, Object> members, String name) {
    return members.get(name) instanceof String text ? Path.of(text) : null;
  }

  private static String variable(String name) {
    return "GOLD_" + name.toUpperCase(Locale.ROOT);
  }
}
