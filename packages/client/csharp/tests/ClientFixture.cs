using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net.Http;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace GoldPartner.Tests {
  /// <summary>
  /// Runs one client, for the tests of e2e/client. Each line on stdin is a call, such as
  /// {"id":1,"call":"PlaceOrderAsync","with":{"quote_id":"qt_…","idempotency_key":"key"}}. Calls run concurrently.
  /// Prints a line for each result and for each report of a try. PLAN is a JSON object: settings of the client, `port`
  /// of another entry point to the service, and `ahead_seconds`, by which the client's clock is ahead.
  /// </summary>
  internal static class ClientFixture {
    private static readonly JsonSerializerOptions Shown = new JsonSerializerOptions {
      PropertyNamingPolicy = new SnakeCase(), IgnoreNullValues = true,
      Converters = { new ExactText(), new InstantText() },
    };

    /// <summary>Sends requests to another port. Signatures still cover the original base URL.</summary>
    private sealed class Rerouted : DelegatingHandler {
      private readonly int port;

      public Rerouted(HttpMessageHandler inner, int port) : base(inner) => this.port = port;

      protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken token) {
        request.RequestUri = new UriBuilder(request.RequestUri) { Port = port }.Uri;
        return base.SendAsync(request, token);
      }
    }

    private sealed class SnakeCase : JsonNamingPolicy {
      public override string ConvertName(string name) => Snake(name);
    }

    private sealed class ExactText : JsonConverter<decimal> {
      public override decimal Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) =>
        throw new NotSupportedException();

      public override void Write(Utf8JsonWriter writer, decimal value, JsonSerializerOptions options) =>
        writer.WriteStringValue((value / 1.0000000000000000000000000000m).ToString(CultureInfo.InvariantCulture));
    }

    private sealed class InstantText : JsonConverter<DateTimeOffset> {
      public override DateTimeOffset Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) =>
        throw new NotSupportedException();

      public override void Write(Utf8JsonWriter writer, DateTimeOffset value, JsonSerializerOptions options) =>
        writer.WriteStringValue(FormattableString.Invariant($"{value.UtcDateTime:yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'}"));
    }

    private static string Snake(string name) => Regex.Replace(name, "(?<=.)[A-Z]", "_$0").ToLowerInvariant();

    public static async Task<int> RunAsync(string credentials, string plan) {
      using var client = Open(credentials, JsonDocument.Parse(plan).RootElement);
      var calls = new List<Task>();
      while (Console.In.ReadLine() is string line) {
        calls.Add(Task.Run(() => CallAsync(client, JsonDocument.Parse(line).RootElement)));
      }
      await Task.WhenAll(calls);
      return 0;
    }

    private static GoldClient Open(string credentials, JsonElement plan) {
      var settings = Settings.FromCredentials(credentials);
      settings.Observer = report => Show(new Dictionary<string, object?> {
        ["report"] = new Dictionary<string, object?> {
          ["operation"] = report.Operation, ["status"] = report.Status == 0 ? (int?)null : report.Status,
          ["code"] = report.Code, ["retry_in_seconds"] = report.RetryIn?.TotalSeconds,
        },
      });
      foreach (var setting in plan.EnumerateObject()) {
        var value = setting.Value;
        switch (setting.Name) {
          case "tries_max": settings.TriesMax = value.GetInt32(); break;
          case "timeout_seconds": settings.Timeout = TimeSpan.FromSeconds(value.GetDouble()); break;
          case "ca": settings.Ca = value.GetString(); break;
          case "client_secret": settings.ClientSecret = value.GetString(); break;
          case "ahead_seconds": settings.Now = () => DateTimeOffset.UtcNow.AddSeconds(value.GetInt32()); break;
          case "port": settings.Handler = new Rerouted(settings.Checked().Handler!, value.GetInt32()); break;
        }
      }
      return new GoldClient(settings);
    }

    private static async Task CallAsync(GoldClient client, JsonElement line) {
      var shown = new Dictionary<string, object?> { ["id"] = line.GetProperty("id").GetInt32() };
      try {
        shown["result"] = await InvokeAsync(client, line);
      } catch (GoldException error) {
        shown["error"] = new Dictionary<string, object?> {
          ["code"] = error.Code, ["message"] = error.Message, ["retryable"] = error.Retryable,
          ["outcome_unknown"] = error.OutcomeUnknown, ["idempotency_key"] = error.IdempotencyKey,
        };
      }
      Show(shown);
    }

    private static async Task<object?> InvokeAsync(GoldClient client, JsonElement line) {
      var method = typeof(GoldClient).GetMethod(line.GetProperty("call").GetString())!;
      var members = line.GetProperty("with");
      var values = method.GetParameters().Select(parameter => {
        var type = parameter.ParameterType;
        if (members.TryGetProperty(Snake(parameter.Name!), out var member)) {
          return type == typeof(byte[]) ? Encoding.UTF8.GetBytes(member.GetString()) : Value(type, member);
        }
        var isLeftOut = type == typeof(string) || type == typeof(CancellationToken);
        return isLeftOut ? (type == typeof(string) ? null : (object)CancellationToken.None) : Make(type, members);
      });
      object result;
      try {
        result = method.Invoke(client, values.ToArray())!;
      } catch (TargetInvocationException error) {
        throw error.InnerException!;
      }
      if (result is Task task) {
        await task;
        return task.GetType().GetProperty("Result")!.GetValue(task);
      }
      // `take` ends the loop over a stream.
      var most = members.TryGetProperty("take", out var take) ? take.GetInt32() : int.MaxValue;
      var items = new List<object?>();
      await foreach (var item in (IAsyncEnumerable<object>)result) {
        items.Add(item is PriceUpdate update ? update.Prices : item);
        if (items.Count == most) break;
      }
      return items;
    }

    /// <summary>Makes a request or a query of its members.</summary>
    private static object Make(Type type, JsonElement members) {
      var constructor = type.GetConstructors().Single();
      var made = constructor.Invoke(constructor.GetParameters()
        .Select(each => Value(each.ParameterType, members.GetProperty(Snake(each.Name!)))).ToArray());
      foreach (var property in type.GetProperties()) {
        if (members.TryGetProperty(Snake(property.Name), out var member)) {
          property.SetValue(made, Value(property.PropertyType, member));
        }
      }
      return made;
    }

    private static object Value(Type type, JsonElement member) {
      var text = member.ToString();
      type = Nullable.GetUnderlyingType(type) ?? type;
      if (type == typeof(decimal)) return decimal.Parse(text, CultureInfo.InvariantCulture);
      if (type == typeof(long)) return long.Parse(text, CultureInfo.InvariantCulture);
      if (type == typeof(bool)) return member.GetBoolean();
      if (type == typeof(DateTime)) return DateTime.Parse(text, CultureInfo.InvariantCulture);
      if (member.ValueKind == JsonValueKind.Object) return Make(type, member);
      if (member.ValueKind == JsonValueKind.Array) return member.EnumerateArray().Select(each => each.GetString()!).ToArray();
      return type == typeof(DateTimeOffset) ? (object)DateTimeOffset.Parse(text, CultureInfo.InvariantCulture) : text;
    }

    private static void Show(object line) {
      lock (Shown) Console.WriteLine(JsonSerializer.Serialize(line, Shown));
    }
  }
}
