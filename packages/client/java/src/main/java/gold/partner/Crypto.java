package gold.partner;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.interfaces.ECKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Reads keys and certificates from PEM files for mutual TLS, and signs requests. */
final class Crypto {
  private static final Pattern KEY = Pattern.compile("-----BEGIN (EC )?PRIVATE KEY-----([^-]+)-----END");
  /** In DER: version 0, then the algorithm ecPublicKey on the curve prime256v1. */
  private static final byte[] P256_ALGORITHM = Base64.getDecoder().decode("AgEAMBMGByqGSM49AgEGCCqGSM49AwEH");
  private static final Base64.Encoder BASE64URL = Base64.getUrlEncoder().withoutPadding();

  private record Header(String alg, boolean b64, List<String> crit, String kid) {}

  private Crypto() {}

  /** Without a CA, the CAs of the Java runtime are trusted. */
  static SSLContext tlsContext(Path cert, Path key, Path ca) throws IOException, GeneralSecurityException {
    char[] password = new char[0];
    Certificate[] chain = readCertificates(cert);
    KeyStore identity = emptyStore();
    identity.setKeyEntry("partner", readKey(key, chain[0].getPublicKey().getAlgorithm()), password, chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(identity, password);
    KeyStore trusted = ca == null ? null : emptyStore();
    if (ca != null) {
      for (Certificate each : readCertificates(ca)) trusted.setCertificateEntry("ca " + trusted.size(), each);
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /** Returns a signer with the key of a PEM file, which must be an EC key on P-256. */
  static Settings.Signer readSigner(Path path) throws IOException, GeneralSecurityException {
    PrivateKey key = readKey(path, "EC");
    if (((ECKey) key).getParams().getOrder().bitLength() != 256) {
      throw new InvalidKeyException("it must be an EC key on the curve P-256");
    }
    return data -> {
      // P1363 is r and s. SHA256withECDSA alone would return DER, which is refused.
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(key);
      signature.update(data);
      return signature.sign();
    };
  }

  /** Returns the five lines to sign. A line feed in a part would shift the next lines. */
  static byte[] canonicalRequest(String method, String url, byte[] body, String timestamp, String nonce)
      throws GeneralSecurityException {
    String hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    List<String> parts = List.of(method, url, hash, timestamp, nonce);
    if (parts.stream().allMatch(part -> part.matches("[!-~]+"))) {
      return String.join("\n", parts).getBytes(StandardCharsets.US_ASCII);
    }
    throw new IllegalArgumentException("method, URL, timestamp and nonce must be visible ASCII and must not be empty");
  }

  /** Returns X-JWS-Signature: a detached JWS over the canonical request, ES256 with b64=false. */
  static String detachedJws(Settings.Signer signer, byte[] payload, String kid) throws Exception {
    String header = BASE64URL.encodeToString(Json.write(new Header("ES256", false, List.of("b64"), kid)));
    byte[] signature = signer.sign(join((header + ".").getBytes(StandardCharsets.US_ASCII), payload));
    if (signature.length == 64) return header + ".." + BASE64URL.encodeToString(signature);
    throw new IllegalArgumentException(
        "a signature must have the 64 bytes of r and s, not DER; got " + signature.length + " bytes");
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] part : parts) joined.writeBytes(part);
    return joined.toByteArray();
  }

  private static Certificate[] readCertificates(Path path) throws IOException, GeneralSecurityException {
    try (InputStream pem = Files.newInputStream(path)) {
      var found = CertificateFactory.getInstance("X.509").generateCertificates(pem);
      if (found.isEmpty()) throw new GeneralSecurityException(path + " contains no certificate");
      return found.toArray(Certificate[]::new);
    }
  }

  /** Reads a key in PKCS#8 or SEC1. */
  private static PrivateKey readKey(Path path, String algorithm) throws IOException, GeneralSecurityException {
    Matcher found = KEY.matcher(Files.readString(path, StandardCharsets.US_ASCII));
    if (!found.find()) throw new InvalidKeyException(path + " contains no PEM private key without a password");
    byte[] der = Base64.getMimeDecoder().decode(found.group(2));
    // PKCS#8 is a SEQUENCE of the algorithm and an OCTET STRING, which contains SEC1.
    boolean isSec1 = found.group(1) != null;
    // The JDK ignores the curve that SEC1 names. These are the bytes of prime256v1.
    boolean isP256 = !isSec1 || HexFormat.of().formatHex(der).contains("06082a8648ce3d030107");
    if (!isP256) throw new InvalidKeyException(path + " must be an EC key on the curve P-256");
    if (isSec1) der = element(0x30, join(P256_ALGORITHM, element(0x04, der)));
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
  }

  /** Returns an element of DER. */
  private static byte[] element(int tag, byte[] content) {
    byte[] head = content.length < 128
        ? new byte[] {(byte) tag, (byte) content.length}
        : new byte[] {(byte) tag, (byte) 0x81, (byte) content.length};
    return join(head, content);
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }
}
