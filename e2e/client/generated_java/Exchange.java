import gold.ApiClient;
import gold.api.AccessApi;
import gold.api.BooksApi;
import gold.api.MoneyApi;
import gold.api.SandboxApi;
import gold.api.TradingApi;
import gold.model.FundRequest;
import gold.model.QuoteRequest;
import java.io.InputStream;
import java.math.BigDecimal;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Sends and reads money with a client that openapi-generator generated. Reads the balances at an instant in
 * Riyadh's time. Prints what the client read, as one JSON object of decimal texts. The certificate and its key
 * are in a PKCS#12 file with the password "exchange".
 */
public class Exchange {
  public static void main(String[] args) throws Exception {
    String baseUrl = args[0], token = args[1];
    var client = new ApiClient();
    client.updateBaseUri(baseUrl);
    client.setHttpClientBuilder(HttpClient.newBuilder().sslContext(tlsOf(Path.of(args[2]), Path.of(args[3]))));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));

    var funding = new MoneyApi(client).fundSandbox(
        "java-funding-" + baseUrl, new FundRequest().amountSar(new BigDecimal(args[4])));
    var quote = new TradingApi(client).createQuote(
        "java-quote-" + baseUrl,
        new QuoteRequest().side(QuoteRequest.SideEnum.BUY).goldGrams(new BigDecimal(args[5])));
    var balances = new BooksApi(client).getBalances(
        quote.getCreatedAt().withOffsetSameInstant(ZoneOffset.ofHours(3)));

    var read = new TreeMap<String, String>(states(client));
    read.putAll(Map.of(
        "quote_id", quote.getQuoteId(),
        "funded_sar", funding.getAmountSar().toPlainString(),
        "gold_grams", quote.getGoldGrams().toPlainString(),
        "price_per_gram_sar", quote.getPricePerGramSar().toPlainString(),
        "total_sar", quote.getTotalSar().toPlainString(),
        "available_sar", balances.getSar().getAvailable().toPlainString()));
    System.out.println(ApiClient.createDefaultObjectMapper().writeValueAsString(read));
  }

  /** One open text of each record, after reading every list. */
  private static Map<String, String> states(ApiClient client) throws Exception {
    var today = LocalDate.now();
    var books = new BooksApi(client);
    books.getLimits();
    books.getChainKey();
    books.getReserves();
    books.getStatement(today.minusDays(1), today.plusDays(1));
    new AccessApi(client).getCredentials();
    new SandboxApi(client).getSimulations();
    var money = new MoneyApi(client);
    money.listFundings(null, null, null, null, null);
    var order = new TradingApi(client).listOrders(null, null, null, null, null, null, null).getItems().get(0);
    var withdrawal = money.listWithdrawals(null, null, null, null, null, null, null).getItems().get(0);
    var event = books.listEvents(null, null).getItems().get(0);
    return Map.of(
        "order_status", order.getStatus(),
        "withdrawal_status", withdrawal.getStatus(),
        "event_type", event.getType(),
        "delivery_status", event.getDelivery().getStatus());
  }

  private static SSLContext tlsOf(Path ca, Path pkcs12) throws Exception {
    char[] password = "exchange".toCharArray();
    var keys = KeyStore.getInstance(pkcs12.toFile(), password);
    var keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keyManagers.init(keys, password);
    var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(ca)) {
      trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    var trustManagers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trustManagers.init(trusted);
    var tls = SSLContext.getInstance("TLS");
    tls.init(keyManagers.getKeyManagers(), trustManagers.getTrustManagers(), null);
    return tls;
  }
}
