using System;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;

namespace GoldPartner.Tests {
  /// <summary>Marks a test: a static method without parameters, which may return a task.</summary>
  [AttributeUsage(AttributeTargets.Method)]
  internal sealed class TestAttribute : Attribute { }

  /// <summary>
  /// GoldPartner.Tests test VECTORS: runs the tests, with the vectors in this folder. Prints a line for each.
  /// GoldPartner.Tests client CREDENTIALS PLAN: see ClientFixture.
  /// </summary>
  internal static class Program {
    private static readonly TimeSpan TestMax = TimeSpan.FromSeconds(60);

    public static string Vectors { get; private set; } = "";

    public static async Task<int> Main(string[] args) {
      if (args.Length == 3 && args[0] == "client") return await ClientFixture.RunAsync(args[1], args[2]);
      if (args.Length != 2 || args[0] != "test") throw new ArgumentException("test VECTORS | client CREDENTIALS PLAN");
      Vectors = args[1];
      var failed = 0;
      var tests = Assembly.GetExecutingAssembly().GetTypes()
        .SelectMany(type => type.GetMethods(BindingFlags.Static | BindingFlags.Public))
        .Where(method => method.GetCustomAttribute<TestAttribute>() != null);
      foreach (var test in tests) {
        var name = $"{test.DeclaringType!.Name}.{test.Name}";
        try {
          var running = Task.Run(async () => {
            if (test.Invoke(null, null) is Task task) await task;
          });
          if (await Task.WhenAny(running, Task.Delay(TestMax)) != running) throw new TimeoutException();
          await running;
          Console.WriteLine($"ok {name}");
        } catch (Exception error) {
          failed++;
          Console.WriteLine($"not ok {name}\n{(error as TargetInvocationException)?.InnerException ?? error}");
        }
      }
      return failed == 0 ? 0 : 1;
    }
  }

  internal static class Check {
    public static void Equal<T>(T expected, T actual, string name = "") {
      if (!Equals(expected, actual)) throw new Exception($"{name}: expected\n{expected}\ngot\n{actual}");
    }

    public static void True(bool condition, string name = "") => Equal(true, condition, name);

    public static T Throws<T>(Action act, string name = "") where T : Exception {
      try {
        act();
      } catch (T error) {
        return error;
      }
      throw new Exception($"{name}: nothing was thrown");
    }

    public static async Task<GoldException> FailsAsync(Func<Task> call) {
      try {
        await call();
      } catch (GoldException error) {
        return error;
      }
      throw new Exception("nothing was thrown");
    }
  }
}
