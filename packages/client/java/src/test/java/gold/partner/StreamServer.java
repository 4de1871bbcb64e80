package gold.partner;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLContext;

/** A server with mutual TLS that plays the service's streams. */
final class StreamServer implements AutoCloseable {
  /** What the server does with one connection: it writes text, then ends the connection or holds it open. */
  record Connection(int status, String text, boolean holds) {}

  final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  final BlockingQueue<Connection> connections = new LinkedBlockingQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpsServer server;
  private final Path cert;
  private final Path key;
  private int tokens;

  /** One certificate is the CA, the server's and the client's. */
  StreamServer(Path folder) throws Exception {
    Path store = folder.resolve("store.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    var made = new ProcessBuilder(keytool, "-genkeypair", "-alias", "a", "-keyalg", "EC", "-groupname", "secp256r1",
        "-dname", "CN=localhost", "-ext", "san=dns:localhost", "-keystore", store.toString(), "-storetype", "PKCS12",
        "-storepass", "secret").redirectError(ProcessBuilder.Redirect.DISCARD).start();
    if (made.waitFor() != 0) throw new IOException("keytool failed");
    KeyStore keys = KeyStore.getInstance(store.toFile(), "secret".toCharArray());
    cert = writePem(folder.resolve("tls.crt"), "CERTIFICATE", keys.getCertificate("a").getEncoded());
    key = writePem(folder.resolve("tls.key"), "PRIVATE KEY", keys.getKey("a", "secret".toCharArray()).getEncoded());
    SSLContext tls = Crypto.tlsContext(cert, key, cert);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls) {
      @Override
      public void configure(HttpsParameters parameters) {
        var sslParameters = tls.getDefaultSSLParameters();
        sslParameters.setNeedClientAuth(true);
        parameters.setSSLParameters(sslParameters);
      }
    });
    server.createContext("/oauth/token", this::grant);
    server.createContext("/v1/", this::stream);
    server.setExecutor(threads);
    server.start();
  }

  Settings settings() {
    Settings settings = new Settings("https://localhost:" + server.getAddress().getPort(), "sbx_1", "secret")
        .certificate(cert, key).ca(cert).triesMax(3);
    settings.sleeper = (length, end) -> {};
    return settings;
  }

  /** The next connection gets this text. */
  StreamServer then(String text) {
    connections.add(new Connection(200, text, false));
    return this;
  }

  StreamServer thenHold(String text) {
    connections.add(new Connection(200, text, true));
    return this;
  }

  StreamServer thenRefuse(int status, String problem) {
    connections.add(new Connection(status, problem, false));
    return this;
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void grant(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    requests.add("token");
    byte[] grant = ("{\"access_token\":\"token-" + ++tokens + "\",\"token_type\":\"Bearer\",\"expires_in\":600}")
        .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, grant.length);
    exchange.getResponseBody().write(grant);
    exchange.close();
  }

  private void stream(HttpExchange exchange) throws IOException {
    requests.add(exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("Authorization") + " "
        + exchange.getRequestHeaders().getFirst("Accept"));
    Connection connection = connections.remove();
    boolean isStream = connection.status() == 200;
    exchange.getResponseHeaders().set("Content-Type", isStream ? "text/event-stream" : "application/problem+json");
    exchange.sendResponseHeaders(connection.status(), 0);
    OutputStream body = exchange.getResponseBody();
    // In two parts, so that a message arrives in pieces.
    byte[] text = connection.text().getBytes(StandardCharsets.UTF_8);
    body.write(text, 0, text.length / 2);
    body.flush();
    body.write(text, text.length / 2, text.length - text.length / 2);
    body.flush();
    try {
      if (connection.holds()) closed.await();
    } catch (InterruptedException cause) {
      Thread.currentThread().interrupt();
    }
    exchange.close();
  }

  static Path writePem(Path path, String kind, byte[] der) throws IOException {
    String text = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    return Files.writeString(path, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
  }
}
