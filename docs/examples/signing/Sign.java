import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;

/**
 * java Sign.java METHOD URL KEY [TIMESTAMP NONCE]: signs a request for the Gold Trading Partner API.
 *
 * <p>Reads the body from stdin, and prints the three headers to send. URL is the base URL, as the operator
 * spells it, with the path and the query. KEY is a PKCS#8 file: openssl pkcs8 -topk8 -nocrypt -in signing.key
 *
 * <p>It needs Java 11 or newer, and only the standard library.
 */
public final class Sign {
    private static final String HEADER = "{\"alg\":\"ES256\",\"b64\":false,\"crit\":[\"b64\"]}";
    private static final int P256_BITS = 256;

    /** Returns the five lines to sign. A line feed in a part would shift the next lines. */
    static String canonicalRequest(String method, String url, byte[] body, String timestamp, String nonce)
            throws GeneralSecurityException {
        String hash = hex(MessageDigest.getInstance("SHA-256").digest(body));
        String[] parts = {method, url, hash, timestamp, nonce};
        for (String part : parts) {
            if (!part.matches("[!-~]+")) {
                throw new IllegalArgumentException(
                        "\"" + part + "\" must be visible ASCII and must not be empty");
            }
        }
        return String.join("\n", parts);
    }

    /** Returns X-JWS-Signature: ES256 over the header, a full stop and the payload, which is not encoded. */
    static String detachedJws(PrivateKey key, String payload) throws GeneralSecurityException {
        Base64.Encoder base64url = Base64.getUrlEncoder().withoutPadding();
        String header = base64url.encodeToString(HEADER.getBytes(StandardCharsets.US_ASCII));
        // P1363 is r and s, 32 bytes each. SHA256withECDSA alone would return DER, which is refused.
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(key);
        signature.update((header + "." + payload).getBytes(StandardCharsets.US_ASCII));
        return header + ".." + base64url.encodeToString(signature.sign());
    }

    static PrivateKey readKey(Path path) throws IOException, GeneralSecurityException {
        String pem = Files.readString(path).trim();
        String begin = "-----BEGIN PRIVATE KEY-----";
        String end = "-----END PRIVATE KEY-----";
        if (!pem.startsWith(begin) || !pem.endsWith(end)) {
            throw new IllegalArgumentException(
                    "the key must be PKCS#8; convert it: openssl pkcs8 -topk8 -nocrypt -in signing.key");
        }
        String encoded = pem.substring(begin.length(), pem.length() - end.length());
        ECPrivateKey key = (ECPrivateKey) KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(encoded)));
        if (key.getParams().getOrder().bitLength() != P256_BITS) {
            throw new IllegalArgumentException("the key must be an EC key on the curve P-256");
        }
        return key;
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            text.append(String.format("%02x", each));
        }
        return text.toString();
    }

    public static void main(String[] args) {
        try {
            if (args.length != 3 && args.length != 5) {
                throw new IllegalArgumentException("usage: Sign METHOD URL KEY [TIMESTAMP NONCE] < BODY");
            }
            byte[] random = new byte[16];
            new SecureRandom().nextBytes(random);
            boolean isTest = args.length == 5;
            String timestamp = isTest ? args[3] : Long.toString(Instant.now().getEpochSecond());
            String nonce = isTest ? args[4] : hex(random);
            byte[] body = System.in.readAllBytes();
            String payload = canonicalRequest(args[0], args[1], body, timestamp, nonce);
            String jws = detachedJws(readKey(Path.of(args[2])), payload);
            System.out.printf("X-Timestamp: %s%nX-Nonce: %s%nX-JWS-Signature: %s%n", timestamp, nonce, jws);
        } catch (IllegalArgumentException | GeneralSecurityException | IOException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }
}
