package gold.partner;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Flow;

/** A transport that answers the token requests, and gives the scripted answers to the other requests. */
final class Script implements Transport {
  final List<HttpRequest> sent = new ArrayList<>();
  final List<Settings.TryReport> reports = new ArrayList<>();
  final List<Duration> pauses = new ArrayList<>();
  final Settings settings = new Settings("https://gold.example", "sbx_1", "secret").signer(data -> new byte[64])
      .certificate(Path.of("unread.crt"), Path.of("unread.key")).observer(reports::add);
  int tokens;
  private final Deque<Object> answers;

  /** Answers are replies, and exceptions to throw. */
  Script(Object... answers) {
    this.answers = new ArrayDeque<>(Arrays.asList(answers));
    settings.sleeper = (length, end) -> pauses.add(length);
    settings.transport = checked -> this;
  }

  GoldClient open() {
    return new GoldClient(settings);
  }

  @Override
  public Reply send(HttpRequest request, Duration timeout) throws IOException {
    if (request.uri().getPath().equals("/oauth/token")) {
      return reply(200, "{\"access_token\":\"token-" + ++tokens + "\",\"token_type\":\"Bearer\",\"expires_in\":600}");
    }
    sent.add(request);
    Object answer = answers.removeFirst();
    if (answer instanceof IOException error) throw error;
    return (Reply) answer;
  }

  List<String> headers(String name) {
    return sent.stream().map(request -> request.headers().firstValue(name).orElseThrow()).toList();
  }

  String body() {
    var text = BodySubscribers.ofString(StandardCharsets.UTF_8);
    sent.get(0).bodyPublisher().orElseThrow().subscribe(new Flow.Subscriber<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        text.onSubscribe(subscription);
      }

      @Override
      public void onNext(ByteBuffer part) {
        text.onNext(List.of(part));
      }

      @Override
      public void onError(Throwable error) {
        text.onError(error);
      }

      @Override
      public void onComplete() {
        text.onComplete();
      }
    });
    return text.getBody().toCompletableFuture().join();
  }

  /** Headers are names and values in turn. */
  static Reply reply(int status, String body, String... headers) {
    Map<String, List<String>> map = new TreeMap<>();
    for (int index = 0; index < headers.length; index += 2) {
      map.put(headers[index], List.of(headers[index + 1]));
    }
    return new Reply(status, HttpHeaders.of(map, (name, value) -> true), body.getBytes(StandardCharsets.UTF_8), null);
  }

  /** Members are further members of the problem, such as "retryable":true. */
  static Reply problem(int status, String code, String members, String... headers) {
    String more = members.isEmpty() ? "" : "," + members;
    return reply(status, "{\"code\":\"" + code + "\",\"detail\":\"…\",\"request_id\":\"req_1\"" + more + "}", headers);
  }

  static IOException reset() {
    return new IOException("connection reset");
  }

  static IOException refused() {
    return new ConnectException("connection refused");
  }
}
