using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace GoldPartner {
  /// <summary>The parameters of a read. Those that are null are not sent.</summary>
  internal interface IQuery {
    IReadOnlyList<(string Name, object? Value)> Parameters { get; }
  }

  /// <summary>An operation with its arguments.</summary>
  internal sealed class Call {
    public const string Json = "application/json";

    public Call(string operation, string target) => (Operation, Target) = (operation, target);

    public string Operation { get; } // the name in the API description
    public string Target { get; } // the path and query, as they are sent
    public byte[]? Body { get; set; } // null for a GET
    public string? IdempotencyKey { get; set; } // null unless the call is a write
    public bool NeedsToken { get; set; } = true;
    public bool IsSigned { get; set; }
    public string Accept { get; set; } = Json;
    public Pauses? Pauses { get; set; } // set for a stream: the call has no limits of time and tries
    public string Method => Body == null ? "GET" : "POST";
    public bool IsWrite => IdempotencyKey != null;

    /// <summary>Without a key of the caller, a write gets a random one.</summary>
    public static string Key(string? key) => Regex.IsMatch(key ??= Guid.NewGuid().ToString(), @"\A[!-~]{1,255}\z")
      ? key
      : throw Failure.Unsent("argument_invalid", "idempotencyKey must be 1 to 255 visible ASCII characters.");

    /// <summary>Returns the id. Any other text, for example one with a slash, could lead to another path.</summary>
    public static string Id(string? value) => Regex.IsMatch(value ?? "", @"\A[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*\z")
      ? value!
      : throw Failure.Unsent("argument_invalid", $"{value} is not an id; pass the id that the service returned.");

    /// <summary>Refuses a request without a required member.</summary>
    public static T Given<T>(string name, T? value) where T : class =>
      value ?? throw Failure.Unsent("argument_invalid", $"{name} must not be null.");

    public static decimal Sar(string name, decimal value) => Exact(name, value, 2);
    public static decimal Grams(string name, decimal value) => Exact(name, value, 4);

    /// <summary>Checks money or gold before it is sent, and removes trailing zeros. Nothing is rounded.</summary>
    public static decimal Exact(string name, decimal value, int decimals) {
      var mistake = value <= 0 ? "it is not above zero"
        : decimal.Round(value, decimals) != value ? $"it has more than {decimals} decimals" : null;
      if (mistake == null) return value / 1.0000000000000000000000000000m;
      throw Failure.Unsent("argument_invalid", FormattableString.Invariant($"{name} is invalid: {value}: {mistake}."));
    }

    /// <summary>Returns a path with a query. A page's cursor replaces the parameter `next`.</summary>
    public static string Path(string path, IQuery? query, string? next = null, string? cursor = null) {
      var given = query?.Parameters ?? Array.Empty<(string Name, object? Value)>();
      var text = Form(cursor == null ? given : given.Where(each => each.Name != next).Append((next!, cursor)));
      return text == "" ? path : $"{path}?{text}";
    }

    public static string Form(IEnumerable<(string Name, object? Value)> parameters) => string.Join("&", parameters
      .Where(each => each.Value != null).Select(each => $"{each.Name}={Uri.EscapeDataString(Text(each.Value!))}"));

    private static string Text(object value) => value switch {
      DateTimeOffset instant => FormattableString.Invariant($"{instant.UtcDateTime:yyyy-MM-dd'T'HH:mm:ss.FFFFFFF'Z'}"),
      DateTime date => FormattableString.Invariant($"{date:yyyy-MM-dd}"),
      _ => FormattableString.Invariant($"{value}"),
    };
  }
}
