package gold.partner;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Reads keys and certificates from PEM files. */
final class Pem {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN (EC )?PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END (EC )?PRIVATE KEY-----");
  /** In DER: version 0, then the algorithm ecPublicKey on the curve prime256v1. */
  private static final byte[] P256_ALGORITHM =
      Base64.getDecoder().decode("AgEAMBMGByqGSM49AgEGCCqGSM49AwEH");
  private static final int SEQUENCE = 0x30;
  private static final int OCTET_STRING = 0x04;
  private static final int P256_BITS = 256;

  private Pem() {}

  /** Reads the key that signs orders, in PKCS#8 or SEC1. It must be an EC key on P-256. */
  static PrivateKey readSigningKey(Path path) throws IOException, GeneralSecurityException {
    if (readKey(path, "EC") instanceof ECPrivateKey key && key.getParams().getOrder().bitLength() == P256_BITS) {
      return key;
    }
    throw new InvalidKeyException("it must be an EC key on the curve P-256");
  }

  /** Returns the context of mutual TLS. Without a CA it trusts the CAs of the Java runtime. */
  static SSLContext tlsContext(Path cert, Path key, Path ca) throws IOException, GeneralSecurityException {
    char[] password = new char[0];
    Certificate[] chain = readCertificates(cert).toArray(Certificate[]::new);
    KeyStore identity = emptyStore();
    PrivateKey privateKey = readKey(key, chain[0].getPublicKey().getAlgorithm());
    identity.setKeyEntry("partner", privateKey, password, chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(identity, password);
    KeyStore trusted = null;
    if (ca != null) {
      trusted = emptyStore();
      for (Certificate each : readCertificates(ca)) {
        trusted.setCertificateEntry("ca " + trusted.size(), each);
      }
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  static List<? extends Certificate> readCertificates(Path path) throws IOException, GeneralSecurityException {
    byte[] pem = Files.readAllBytes(path);
    var found = CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
    if (found.isEmpty()) throw new GeneralSecurityException(path + " contains no certificate");
    return List.copyOf(found);
  }

  private static PrivateKey readKey(Path path, String algorithm) throws IOException, GeneralSecurityException {
    Matcher found = KEY.matcher(Files.readString(path, StandardCharsets.US_ASCII));
    if (!found.find()) throw new InvalidKeyException(path + " contains no PEM private key without a password");
    byte[] der = Base64.getMimeDecoder().decode(found.group(2));
    byte[] pkcs8 = found.group(1) == null
        ? der
        : element(SEQUENCE, Signing.join(P256_ALGORITHM, element(OCTET_STRING, der)));
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
  }

  /** Returns an element of DER. */
  private static byte[] element(int tag, byte[] content) {
    byte[] head = content.length < 128
        ? new byte[] {(byte) tag, (byte) content.length}
        : new byte[] {(byte) tag, (byte) 0x81, (byte) content.length};
    return Signing.join(head, content);
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }
}
