package gold.partner;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A transport that answers the token requests, and gives the scripted answers to the other requests. */
final class Script implements Transport {
  final List<Request> sent = new ArrayList<>();
  final List<TryReport> reports = new ArrayList<>();
  final List<Duration> pauses = new ArrayList<>();
  final Settings settings = new Settings("https://gold.example", "sbx_1", "secret").signer(data -> new byte[64]);
  int tokens;
  private final Deque<Object> answers;

  Script(Object... answers) {
    this.answers = new ArrayDeque<>(Arrays.asList(answers));
    settings.observer(reports::add).sleeper = pauses::add;
  }

  GoldClient open() {
    return new GoldClient(settings, this, LiveStream.SILENCE_MAX);
  }

  @Override
  public Reply send(Request request) throws SendException {
    if (request.uri().getPath().equals("/oauth/token")) {
      return reply(200, "{\"access_token\":\"token-" + ++tokens + "\",\"token_type\":\"Bearer\",\"expires_in\":600}");
    }
    sent.add(request);
    Object answer = answers.removeFirst();
    if (answer instanceof SendException error) throw error;
    return (Reply) answer;
  }

  List<String> headers(String name) {
    return sent.stream().map(request -> request.headers().get(name)).toList();
  }

  String body() {
    return new String(sent.get(0).body(), StandardCharsets.UTF_8);
  }

  /** Headers are names and values in turn. */
  static Reply reply(int status, String body, String... headers) {
    Map<String, String> map = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (int index = 0; index < headers.length; index += 2) {
      map.put(headers[index], headers[index + 1]);
    }
    return new Reply(status, map, body.getBytes(StandardCharsets.UTF_8), null);
  }

  /** Members are further members of the problem, such as "retryable":true. */
  static Reply problem(int status, String code, String members, String... headers) {
    String more = members.isEmpty() ? "" : "," + members;
    return reply(status, "{\"code\":\"" + code + "\",\"detail\":\"…\",\"request_id\":\"req_1\"" + more + "}", headers);
  }

  static SendException reset() {
    return new SendException(SendException.Kind.BROKEN, "connection reset", null);
  }

  static SendException refused() {
    return new SendException(SendException.Kind.UNSENT, "connection refused", null);
  }
}
