using System;
using System.Buffers;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.Json;

namespace GoldPartner {
  /// <summary>A body that a write sends.</summary>
  internal interface IRequest {
    void Write(Utf8JsonWriter json);
  }

  /// <summary>The members of an object, read without doubles. Members that a later version adds are ignored.</summary>
  internal sealed class Json {
    /// <summary>A decimal holds this many digits without rounding.</summary>
    private const int DigitsMax = 28;

    private readonly Dictionary<string, JsonElement> members = new Dictionary<string, JsonElement>();

    private Json(JsonElement value) {
      foreach (var member in value.EnumerateObject()) {
        if (!members.TryAdd(member.Name, member.Value)) throw new FormatException($"it has {member.Name} twice");
      }
    }

    /// <summary>Reads an object. Throws FormatException if the body does not have the expected form.</summary>
    public static T Read<T>(byte[] body, Func<Json, T> read) {
      try {
        using var document = JsonDocument.Parse(body);
        return read(new Json(document.RootElement));
      } catch (Exception cause) when (cause is JsonException || cause is InvalidOperationException) {
        throw new FormatException("it is not a JSON object of this form", cause);
      }
    }

    public static byte[] Write(IRequest? request) {
      var buffer = new ArrayBufferWriter<byte>();
      using var json = new Utf8JsonWriter(buffer);
      json.WriteStartObject();
      request?.Write(json);
      json.WriteEndObject();
      json.Flush();
      return buffer.WrittenSpan.ToArray();
    }

    public T Get<T>(string name, Func<JsonElement, T> read) =>
      Has(name) ? ReadMember(name, read) : throw new FormatException($"it has no member {name}");

    /// <summary>Reads a member that can be absent or null.</summary>
    public T? Find<T>(string name, Func<JsonElement, T> read) where T : class =>
      Has(name) ? ReadMember(name, read) : null;

    /// <summary>Reads a number, a flag or a time that can be absent or null.</summary>
    public T? FindValue<T>(string name, Func<JsonElement, T> read) where T : struct =>
      Has(name) ? ReadMember(name, read) : (T?)null;

    public static Func<JsonElement, T> Object<T>(Func<Json, T> read) => value => read(new Json(value));
    public static Func<JsonElement, IReadOnlyList<T>> List<T>(Func<JsonElement, T> read) =>
      value => value.EnumerateArray().Select(read).ToArray();

    public static string Text(JsonElement value) => value.GetString() ?? throw new FormatException("a text is null");
    public static bool Flag(JsonElement value) => value.GetBoolean();
    public static long Integer(JsonElement value) => value.GetInt64();

    /// <summary>Refuses a number that a decimal could hold only after rounding it.</summary>
    public static decimal Decimal(JsonElement value) {
      var (parts, exponent) = (value.GetRawText().Split('e', 'E'), 0);
      var isExact = (parts.Length == 1
          || int.TryParse(parts[1], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out exponent))
        && parts[0].Count(char.IsDigit) - Math.Min(exponent, 0) <= DigitsMax;
      if (isExact && value.TryGetDecimal(out var number)) return number;
      throw new FormatException($"a number does not fit into {DigitsMax} digits");
    }

    public static DateTimeOffset Instant(JsonElement value) => DateTimeOffset.ParseExact(Text(value),
      "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK", CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);

    public static DateTime Date(JsonElement value) =>
      DateTime.ParseExact(Text(value), "yyyy-MM-dd", CultureInfo.InvariantCulture);

    private bool Has(string name) => members.TryGetValue(name, out var value) && value.ValueKind != JsonValueKind.Null;

    private T ReadMember<T>(string name, Func<JsonElement, T> read) {
      try {
        return read(members[name]);
      } catch (InvalidOperationException cause) {
        throw new FormatException($"{name} has another type", cause);
      }
    }
  }
}
