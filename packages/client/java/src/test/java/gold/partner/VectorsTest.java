package gold.partner;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the package with the language-neutral test vectors. */
class VectorsTest {
  private static final String HEADER = "eyJhbGciOiJFUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19";
  private static final String X_OF_RFC_6979 = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721";
  private static final Map<String, Integer> DECIMALS = Map.of("sar", 2, "grams", 4, "price", 4);

  /** Returns the cases of a file that concern a client. */
  private static List<JsonNode> cases(String file, int atLeast, Predicate<JsonNode> applies) throws IOException {
    Path path = Path.of(System.getProperty("gold.vectors"), file + ".json");
    JsonNode all = new ObjectMapper().readTree(path.toFile()).get("cases");
    List<JsonNode> found = StreamSupport.stream(all.spliterator(), false).filter(applies).toList();
    assertTrue(found.size() >= atLeast, file + " has " + found.size() + " cases");
    return found;
  }

  /** The client computes the hash of the body itself, so it has no case for a wrong hash. */
  @Test
  void canonicalRequests() throws Exception {
    for (JsonNode each : cases("canonical_request", 46,
        one -> !one.path("reason").asText().equals("invalid_body_hash"))) {
      String name = each.get("name").asText();
      List<String> parts =
          List.of("method", "url", "timestamp", "nonce").stream().map(part -> each.get(part).asText()).toList();
      if (each.has("reason")) {
        assertThrows(IllegalArgumentException.class, () -> canonical(parts, bytesOf(each)), name);
      } else {
        assertEquals(each.get("canonical").asText(), canonical(parts, bytesOf(each)), name);
      }
    }
  }

  private static String canonical(List<String> parts, byte[] body) throws Exception {
    byte[] text = Crypto.canonicalRequest(parts.get(0), parts.get(1), body, parts.get(2), parts.get(3));
    return new String(text, StandardCharsets.US_ASCII);
  }

  /** The client makes one form of the header. Java's signatures are random, so the key's own must verify. */
  @Test
  void signatures(@TempDir Path folder) throws Exception {
    Settings.Signer signer = readSigner(folder, "PRIVATE KEY", exampleKey().getEncoded());
    for (JsonNode each : cases("detached_jws", 5, one -> one.get("valid").asBoolean()
        && one.get("jws").asText().startsWith(HEADER + ".."))) {
      String name = each.get("name").asText();
      byte[] payload = HexFormat.of().parseHex(each.get("payload_hex").asText());
      byte[] known = Base64.getUrlDecoder().decode(each.get("jws").asText().substring(HEADER.length() + 2));
      byte[][] signed = new byte[1][];
      String jws = Crypto.detachedJws(data -> {
        signed[0] = data;
        return known;
      }, payload, null);
      assertEquals(each.get("jws").asText(), jws, name);
      PublicKey key = publicKey(each.get("jwk"));
      assertTrue(verifies(key, signed[0], known), name);
      assertTrue(verifies(key, signed[0], signer.sign(signed[0])), name);
    }
  }

  /** Both forms of SEC1: openssl adds the public key, and other programs leave it out. */
  @Test
  void keysInSec1(@TempDir Path folder) throws Exception {
    String point = "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
        + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299";
    String key = "0201010420" + X_OF_RFC_6979 + "A00A06082A8648CE3D030107";
    byte[] payload = {1};
    byte[] jwk = HexFormat.of().parseHex(point);
    PublicKey verifier = publicKey(new BigInteger(1, jwk, 0, 32), new BigInteger(1, jwk, 32, 32));
    for (String der : List.of("3031" + key, "3077" + key + "A14403420004" + point)) {
      Settings.Signer signer = readSigner(folder, "EC PRIVATE KEY", HexFormat.of().parseHex(der));
      assertTrue(verifies(verifier, payload, signer.sign(payload)), der);
    }
    String secp256k1 = "302e0201010420" + X_OF_RFC_6979 + "A00706052B8104000A";
    assertThrows(InvalidKeyException.class,
        () -> readSigner(folder, "EC PRIVATE KEY", HexFormat.of().parseHex(secp256k1)));
  }

  private static Settings.Signer readSigner(Path folder, String kind, byte[] der) throws Exception {
    return Crypto.readSigner(StreamServer.writePem(folder.resolve("signing.key"), kind, der));
  }

  private static boolean verifies(PublicKey key, byte[] data, byte[] bytes) throws Exception {
    Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
    signature.initVerify(key);
    signature.update(data);
    return signature.verify(bytes);
  }

  private static ECParameterSpec p256() throws Exception {
    AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
    parameters.init(new ECGenParameterSpec("secp256r1"));
    return parameters.getParameterSpec(ECParameterSpec.class);
  }

  private static PrivateKey exampleKey() throws Exception {
    var spec = new ECPrivateKeySpec(new BigInteger(X_OF_RFC_6979, 16), p256());
    return KeyFactory.getInstance("EC").generatePrivate(spec);
  }

  private static PublicKey publicKey(JsonNode jwk) throws Exception {
    List<BigInteger> point = new ArrayList<>();
    for (String name : List.of("x", "y")) {
      point.add(new BigInteger(1, Base64.getUrlDecoder().decode(jwk.get(name).asText())));
    }
    return publicKey(point.get(0), point.get(1));
  }

  private static PublicKey publicKey(BigInteger x, BigInteger y) throws Exception {
    var spec = new ECPublicKeySpec(new ECPoint(x, y), p256());
    return KeyFactory.getInstance("EC").generatePublic(spec);
  }

  private record Amount(BigDecimal value) {}

  /** Only the service rounds. JSON allows a space before a number, so that case cannot be refused here. */
  @Test
  void quantities() throws Exception {
    for (JsonNode each : cases("money", 60, one -> !one.path("json").asText().startsWith(" ")
        && List.of("parse", "format").contains(one.get("operation").asText()))) {
      String name = each.get("name").asText();
      int decimals = DECIMALS.get(each.get("quantity").asText());
      if (each.has("reason")) {
        assertThrows(Exception.class, () -> parse(each.get("json").asText(), decimals), name);
        continue;
      }
      BigDecimal value = new BigDecimal(new BigInteger(each.get("units").asText()), decimals);
      if (each.get("operation").asText().equals("format")) {
        byte[] written = Json.write(new Amount(value.stripTrailingZeros()));
        assertEquals("{\"value\":" + each.get("text").asText() + "}", text(written), name);
      } else {
        assertEquals(0, value.compareTo(parse(each.get("json").asText(), decimals)), name);
      }
    }
  }

  private static BigDecimal parse(String json, int decimals) throws IOException {
    byte[] body = ("{\"value\":" + json + "}").getBytes(StandardCharsets.UTF_8);
    return Call.exact("value", Json.read(body, Amount.class).value(), decimals);
  }

  @Test
  void webhooks() throws Exception {
    for (JsonNode each : cases("webhook", 47, one -> true)) {
      String name = each.get("name").asText();
      List<String> secrets = new ArrayList<>();
      each.path("secrets").forEach(secret -> secrets.add(secret.asText()));
      if (each.has("secret")) {
        refuses(each, () -> Webhooks.sign(each.get("secret").asText(), "evt_1", 1_700_000_000, new byte[0]));
      } else if (!each.has("headers")) {
        String id = each.get("id").asText();
        long timestamp = each.get("timestamp").asLong();
        List<String> signed =
            secrets.stream().map(secret -> Webhooks.sign(secret, id, timestamp, bytesOf(each))).toList();
        assertEquals(each.get("signature").asText(), String.join(" ", signed), name);
      } else {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        each.get("headers").properties().forEach(header -> headers.put(header.getKey(), header.getValue().asText()));
        Instant now = Instant.ofEpochSecond(each.get("now_seconds").asLong());
        Runnable verify = each.has("client_id") // Only these bodies are events.
            ? () -> Webhooks.verify(bytesOf(each), headers::get, secrets, each.get("client_id").asText(), now)
            : () -> Webhooks.verifySignature(bytesOf(each), headers::get, secrets, now);
        if (each.get("valid").asBoolean()) verify.run();
        else refuses(each, verify);
      }
    }
  }

  private static void refuses(JsonNode vector, Runnable act) {
    String name = vector.get("name").asText();
    var refused = assertThrows(WebhookVerificationException.class, act::run, name);
    assertEquals(vector.get("reason").asText(), refused.code(), name);
  }

  /** An independent model: it follows docs/chain.md and shares no code with the service. */
  @Test
  void hashChain() throws Exception {
    byte[] head = new byte[32];
    for (JsonNode each : cases("chain", 8, one -> true)) {
      String name = each.get("name").asText();
      String line = chainLine(each);
      assertEquals(each.get("line").asText(), line, name);
      assertArrayEquals(HexFormat.of().parseHex(each.get("previous_chain_head").asText()), head, name);
      head = sha256(Crypto.join(head, line.getBytes(StandardCharsets.UTF_8)));
      assertEquals(each.get("chain_head").asText(), HexFormat.of().formatHex(head), name);
    }
  }

  private static String chainLine(JsonNode vector) throws Exception {
    String members = vector.get("members").asText();
    if (vector.get("version").asInt() == 1) return "1|" + members;
    String answer = vector.has("answer") ? answerOf(vector.get("answer")) : "";
    byte[] sequence = HexFormat.of().parseHex(String.format("%016x", vector.get("sequence").asLong()));
    byte[] salt = sha256(Crypto.join(HexFormat.of().parseHex(vector.get("chain_key").asText()), sequence));
    return String.join("|", "2", members, answer, HexFormat.of().formatHex(salt, 0, 16));
  }

  private static String answerOf(JsonNode answer) throws Exception {
    List<String> request = new ArrayList<>();
    for (String part : List.of("method", "target", "timestamp", "nonce", "signature", "body_utf8")) {
      if (answer.has("signed")) request.add(answer.get("signed").get(part).asText());
    }
    List<String> lines = List.of(answer.get("key").asText(), answer.get("fingerprint").asText(),
        answer.get("status").asText(), answer.get("request_id").asText(), hex(answer.get("body_utf8").asText()),
        hex(String.join("\n", request)), answer.path("thumbprint").asText());
    return hex(String.join("\n", lines) + "\n");
  }

  private static String hex(String text) throws Exception {
    return HexFormat.of().formatHex(sha256(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] sha256(byte[] bytes) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(bytes);
  }

  private static byte[] bytesOf(JsonNode vector) {
    if (vector.has("body_hex")) return HexFormat.of().parseHex(vector.get("body_hex").asText());
    return vector.get("body_utf8").asText().getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
