package gold.partner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * ClientFixture CREDENTIALS PLAN: runs one client, for the tests of e2e/client.
 *
 * <p>Each line on stdin is a call, such as {"id":1,"call":"placeOrder","args":[{"quote_id":"qt_…"},"key"]}. Calls run
 * concurrently. A call of a stream has {@code take}, the number of items after which the stream is closed. Prints a
 * line for each result and for each report of a try. PLAN is a JSON object: settings of the client, {@code port} of
 * another entry point to the service, and {@code ahead_seconds}, by which the client's clock is ahead.
 */
final class ClientFixture {
  private static final JsonMapper MAPPER = Json.MAPPER.rebuild()
      .addModule(new SimpleModule("exact").addSerializer(BigDecimal.class, ToStringSerializer.instance))
      .build();

  private final GoldClient client;

  private ClientFixture(Path credentials, JsonNode plan) {
    Settings settings = Settings.fromCredentials(credentials).observer(ClientFixture::showReport);
    if (plan.has("tries_max")) settings.triesMax(plan.get("tries_max").asInt());
    if (plan.has("timeout_seconds")) {
      settings.timeout(Duration.ofMillis(Math.round(plan.get("timeout_seconds").asDouble() * 1000)));
    }
    if (plan.has("ca")) settings.ca(Path.of(plan.get("ca").asText()));
    if (plan.has("client_secret")) settings.clientSecret = plan.get("client_secret").asText();
    settings.clock = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(plan.path("ahead_seconds").asInt()));
    if (plan.has("port")) {
      settings.transport = checked -> rerouted(Transport.open(checked), plan.get("port").asInt());
    }
    client = new GoldClient(settings);
  }

  /** Sends requests to another port. Signatures still cover the original base URL. */
  private static Transport rerouted(Transport transport, int port) {
    return (request, timeout) -> {
      URI uri = request.uri();
      URI moved = URI.create(uri.toString().replace(":" + uri.getPort(), ":" + port));
      return transport.send(HttpRequest.newBuilder(request, (name, value) -> true).uri(moved).build(), timeout);
    };
  }

  private void call(JsonNode line) {
    Map<String, Object> shown = new HashMap<>(Map.of("id", line.get("id").asInt()));
    try {
      Object result = invoke(line.get("call").asText(), line.get("args"));
      if (result instanceof Listing<?> list) result = list.stream().toList();
      if (result instanceof LiveStream<?> stream) result = take(stream, line.get("take").asInt());
      shown.put("result", result);
    } catch (GoldException error) {
      shown.put("error", describe(error));
    }
    show(shown);
  }

  private Object invoke(String name, JsonNode args) {
    Method method = Arrays.stream(GoldClient.class.getMethods())
        .filter(each -> each.getName().equals(name) && each.getParameterCount() == args.size()).findAny().orElseThrow();
    Object[] values = new Object[args.size()];
    for (int index = 0; index < values.length; index++) {
      values[index] = method.getParameterTypes()[index] == byte[].class
          ? args.get(index).asText().getBytes(StandardCharsets.UTF_8)
          : MAPPER.convertValue(args.get(index), method.getParameterTypes()[index]);
    }
    try {
      return method.invoke(client, values);
    } catch (InvocationTargetException error) {
      throw (RuntimeException) error.getCause();
    } catch (IllegalAccessException cause) {
      throw new IllegalStateException(cause);
    }
  }

  /** Returns this many items of a stream. An item without a price is null. */
  private static List<Object> take(LiveStream<?> stream, int count) {
    List<Object> items = new ArrayList<>();
    try (stream) {
      var iterator = stream.iterator();
      while (items.size() < count) {
        Object item = iterator.next();
        items.add(item instanceof Optional<?> prices ? prices.orElse(null) : item);
      }
    }
    return items;
  }

  private static Map<String, Object> describe(GoldException error) {
    Map<String, Object> facts = new HashMap<>(Map.of("code", error.code(), "message", error.getMessage(),
        "retryable", error.retryable(), "outcome_unknown", error.outcomeUnknown()));
    facts.put("idempotency_key", error.idempotencyKey());
    return facts;
  }

  private static void showReport(Settings.TryReport report) {
    Map<String, Object> facts = new HashMap<>(Map.of("operation", report.operation()));
    facts.put("status", report.status() == 0 ? null : report.status());
    facts.put("code", report.code());
    facts.put("retry_in_seconds", report.retryIn() == null ? null : report.retryIn().toMillis() / 1000.0);
    show(Map.of("report", facts));
  }

  private static synchronized void show(Object line) {
    try {
      System.out.println(MAPPER.writeValueAsString(line));
    } catch (IOException cause) {
      throw new IllegalStateException(cause);
    }
  }

  public static void main(String[] args) throws Exception {
    ClientFixture fixture = new ClientFixture(Path.of(args[0]), MAPPER.readTree(args[1]));
    var threads = Executors.newFixedThreadPool(200);
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = lines.readLine()) != null;) {
      JsonNode call = MAPPER.readTree(line);
      threads.execute(() -> fixture.call(call));
    }
    threads.shutdown();
    threads.awaitTermination(1, TimeUnit.MINUTES);
  }
}
