package gold.partner;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** Signs a request: a detached JWS over the canonical request, ES256 with b64=false. */
final class Signing {
  static final Pattern KID = Pattern.compile("[!-~]{1,128}");
  private static final Pattern VISIBLE_ASCII = Pattern.compile("[!-~]+");
  private static final int SIGNATURE_BYTES = 64;

  @JsonPropertyOrder({"alg", "b64", "crit", "kid"})
  private record Header(String alg, boolean b64, List<String> crit, String kid) {}

  private Signing() {}

  /** Returns the five lines to sign. A line feed in a part would shift the next lines. */
  static byte[] canonicalRequest(String method, String url, byte[] body, String timestamp, String nonce) {
    List<String> parts = List.of(method, url, HexFormat.of().formatHex(sha256(body)), timestamp, nonce);
    if (!parts.stream().allMatch(part -> VISIBLE_ASCII.matcher(part).matches())) {
      throw new IllegalArgumentException(
          "method, URL, timestamp and nonce must be visible ASCII and must not be empty");
    }
    return String.join("\n", parts).getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns X-JWS-Signature for the payload. */
  static String detachedJws(Signer signer, byte[] payload, String kid) throws Exception {
    String header = base64url(Json.write(new Header("ES256", false, List.of("b64"), kid)));
    byte[] signature = signer.sign(join((header + ".").getBytes(StandardCharsets.US_ASCII), payload));
    if (signature.length != SIGNATURE_BYTES) {
      throw new IllegalArgumentException(
          "a signature must have the 64 bytes of r and s, not DER; got " + signature.length + " bytes");
    }
    return header + ".." + base64url(signature);
  }

  /** Returns a signer for an EC key on P-256. */
  static Signer keySigner(PrivateKey key) {
    return data -> {
      // P1363 is r and s. SHA256withECDSA alone would return DER, which is refused.
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(key);
      signature.update(data);
      return signature.sign();
    };
  }

  static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (GeneralSecurityException cause) {
      throw new IllegalStateException("Every Java has SHA-256.", cause);
    }
  }

  static String base64url(byte[] content) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(content);
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] part : parts) joined.writeBytes(part);
    return joined.toByteArray();
  }
}
