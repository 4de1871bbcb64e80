// The Java and C# samples of the reference. The two clients have the same methods, so each sample is written once and
// rendered in both languages. The notation is C# with these words more:
//   client.Name(…)     a call, which C# awaits
//   print(a, "SAR")    a line of output; `a:2` shows two decimals
//   each x in list {   a loop, also over pages of a list or a stream
//   Key("order"), Day("2026-01-31")   a new key, and a calendar day
//   PRICE              a price that a stream may lack, for which the two languages have other types
import type { OperationId } from "@gold-partner/protocol";

const BUY = `var quote = client.CreateQuote(new QuoteRequest("buy") { GoldGrams = 0.25m });`;
const CHANGE =
  `var change = client.RequestChange(new ChangeRequest() { IpRange = "203.0.113.0/24" }, "second-office");`;
const DEPOSIT = `var deposit = client.SimulateDeposit(new SimulateDepositRequest(100000m));`;
const list = (name: string, from: string, ...shown: string[]) =>
  `each ${name} in ${from} {\n${shown.map((one) => `  ${one}`).join("\n")}\n}`;
const firstOf = (name: string, from: string, ...shown: string[]) => list(name, from, ...shown, "break;");
/** Java closes the connection of a stream in a line of its own, and C# when the loop ends. */
const stream = (name: string, from: string, shown: string) =>
  `var stream = ${from};\n${firstOf(name, "stream", shown)}\nstream.close();`;

const SOURCES: Readonly<Partial<Record<OperationId, string>>> = {
  fundSandbox: `var funding = client.FundSandbox(new FundRequest(100000m));
var sar = funding.Balances.Sar;
print(sar.Available:2, "SAR")`,
  getPrices: `var prices = client.GetPrices();
print(prices.Market, prices.BuyPrice:4)`,
  getPriceHistory: `var history = client.GetPriceHistory();
${list("bar", "history.Bars", "print(bar.BeginsAt, bar.BuyPrice.Last:4)")}`,
  streamPrices: stream("update", "client.StreamPrices()", "PRICE"),
  createQuote: `${BUY}\nprint(quote.TotalSar:2, "SAR")\nprint(quote.ExpiresAt)`,
  getQuote: `${BUY}\nvar again = client.GetQuote(quote.QuoteId);\nprint(again.Status)`,
  probeSignature: `var body = Bytes("{}");
var verdict = client.ProbeSignature(body);
print(verdict.Valid, verdict.Mistake)`,
  createOrder: `${BUY}

// Store the key first. A retry sends the same key.
var key = Key("order");
var order = client.PlaceOrder(new OrderRequest(quote.QuoteId), key);
print(order.OrderId, order.GoldGrams, "g")`,
  listOrders: list(
    "order",
    "client.ListOrders()",
    `print(order.OrderId, order.TotalSar:2, "SAR")`,
  ),
  getOrder: firstOf(
    "newest",
    "client.ListOrders()",
    "var order = client.GetOrder(newest.OrderId);",
    "print(order.ExecutedAt)",
  ),
  createWithdrawal: `// Store the key first. A retry sends the same key.
var key = Key("payout");
var withdrawal = client.CreateWithdrawal(new WithdrawalRequest(50m), key);
print(withdrawal.Status, withdrawal.IbanMasked)`,
  simulateWithdrawal: `var asked = client.CreateWithdrawal(new WithdrawalRequest(100m));
var id = asked.WithdrawalId;
var paid = client.SimulateWithdrawal(new SimulateWithdrawalRequest(id, "paid"));
print(paid.Status)`,
  cancelWithdrawal: `var asked = client.CreateWithdrawal(new WithdrawalRequest(10m));
var id = asked.WithdrawalId;
var cancelled = client.CancelWithdrawal(id);
print(cancelled.Status)`,
  listWithdrawals: list(
    "one",
    "client.ListWithdrawals()",
    `print(one.AmountSar:2, "SAR", one.Status)`,
  ),
  getWithdrawal: firstOf(
    "newest",
    "client.ListWithdrawals()",
    "var id = newest.WithdrawalId;",
    "var one = client.GetWithdrawal(id);",
    "print(one.Status)",
  ),
  simulateDeposit: `${DEPOSIT}\nprint(deposit.FundingId, deposit.CreatedAt)`,
  simulateDepositReversal: `${DEPOSIT}
var id = deposit.FundingId;
var reversed = client.SimulateDepositReversal(new SimulateDepositReversalRequest(id));
print(reversed.ReversedAt)`,
  listFundings: list(
    "one",
    "client.ListFundings()",
    `print(one.FundingId, one.AmountSar:2, "SAR")`,
  ),
  getFunding: firstOf(
    "newest",
    "client.ListFundings()",
    "var one = client.GetFunding(newest.FundingId);",
    "print(one.CreatedAt, one.ReversedAt)",
  ),
  getBalances: `var balances = client.GetBalances();
print(balances.Sar.Available:2, "SAR")
print(balances.Gold.Grams, "g")`,
  testWebhook: `var sent = client.TestWebhook();\nprint(sent.Id, sent.Delivery.Status)`,
  listEvents: list(
    "one",
    "client.ListEvents()",
    "print(one.Sequence, one.Type)",
  ),
  streamEvents: stream("one", "client.StreamEvents(0)", "print(one.Sequence, one.Type)"),
  getEvent: firstOf(
    "first",
    "client.ListEvents()",
    "var one = client.GetEvent(first.Id);",
    "print(one.Delivery.Attempts.Count)",
  ),
  redeliverEvent: firstOf(
    "first",
    "client.ListEvents()",
    "var again = client.RedeliverEvent(first.Id);",
    "print(again.Delivery.NextAttemptAt)",
  ),
  getStatement: `var day = Day("2026-01-31");
var statement = client.GetStatement(new StatementQuery(day, day));
var closing = statement.ClosingBalance;
print(closing.AvailableSar:2, "SAR")`,
  getReserves: `var reserves = client.GetReserves();\nprint(reserves.FineGrams, reserves.OwedGrams)`,
  getReservesList: `var reserves = client.GetReserves();
var id = reserves.ReservesListId;
var bars = client.GetReservesList(id);
print(bars.Bars.Count, bars.Sha256)`,
  getLimits: `var limits = client.GetLimits();
print(limits.GoldGrams.Maximum, "g")
print(limits.RateLimit.RequestsPerSecond)`,
  getChainKey: `var own = client.GetChainKey();\nprint(own.ClientNumber)`,
  getAccount: `var account = client.GetAccount();
print(account.Name, account.Settlement.IbanMasked)`,
  requestChange: `${CHANGE}\nprint(change.ChangeId, change.Status)`,
  getChanges: `var changes = client.GetChanges();
${list("one", "changes.Items", "print(one.Kind, one.Status)")}`,
  getChange: `${CHANGE}\nvar read = client.GetChange(change.ChangeId);\nprint(read.Status)`,
  getCredentials: `var all = client.GetCredentials();
${list("one", "all.Certificates", "print(one.ExpiresAt)")}`,
  getHealth: `var health = client.GetHealth();\nprint(health.Status)`,
  simulateQuoteExpiry: `${BUY}
var id = quote.QuoteId;
var ended = client.SimulateQuoteExpiry(new SimulateQuoteExpiryRequest(id));
print(ended.Status)`,
  simulateEvent: `var type = "credential.ended";
var made = client.SimulateEvent(new SimulateEventRequest(type));
print(made.Sequence)`,
  simulateMarket: `var armed = client.SimulateMarket(new SimulateMarketRequest("closed") { Seconds = 30 });
print(armed.Market.State)`,
  simulatePrices: `var armed = client.SimulatePrices(new SimulatePricesRequest(10));
print(armed.Prices.Percent, "%")`,
  simulateFailure: `var armed = client.SimulateFailure(new SimulateFailureRequest("lost_reply"));
print(armed.Failure.Kind)`,
  simulateWebhooks:
    `var armed = client.SimulateWebhooks(new SimulateWebhooksRequest("late") { Seconds = 20 });
print(armed.Webhooks.Kind)`,
  getSimulations: `var armed = client.GetSimulations();\nprint(armed.Market == null)`,
  resetSimulations: `var armed = client.ResetSimulations();\nprint(armed.Market == null)`,
};

/** As many characters as the column of the samples shows on one line. */
const LINE_MAX = 58;
const camel = (name: string) => name[0]!.toLowerCase() + name.slice(1);

/** Breaks a line that is too long after its first bracket, and then before each setter or part of a text. */
function fit(line: string): string {
  if (line.length <= LINE_MAX) return line;
  const [, indent, call, rest] = /^( *)(.*?\()(.*)$/.exec(line)!;
  const inner = `\n${indent}    `;
  const broken = rest!.includes("new ")
    ? rest!.replaceAll(/(?<=\))\.(?=[a-z])/g, `${inner}.`).replace(
      / \{ (.*) \}/,
      ` {${inner}$1\n${indent}  }`,
    )
    : rest!.replaceAll(/ \+ (?=\w)/g, `${inner}+ `);
  return `${indent}${call}\n${indent}  ${rest!.length + indent!.length + 2 <= LINE_MAX ? rest : broken}`;
}

/** The parts of a `print`: a text, or an expression with its number of decimals. */
const partsOf = (printed: string) =>
  printed.split(", ").map((part) => {
    const [, text, value, decimals] = /^"(.*)"$|^(.*?)(?::(\d))?$/.exec(part)!;
    return { text, value, decimals };
  });

function csharp(line: string): string {
  const printed = line.replace("PRICE", "print(update.Prices?.BuyPrice:4)").replace(
    /print\((.*)\)$/,
    (_, printed: string) => {
      const parts = partsOf(printed).map(({ text, value, decimals }) =>
        text ?? `{${value}${decimals ? `:F${decimals}` : ""}}`
      );
      const [, only] = /^\{([^:{}]*)\}$/.exec(parts.join(" ")) ?? [];
      return `Console.WriteLine(${only ?? `$"${parts.join(" ")}"`});`;
    },
  );
  return fit(
    printed.replace(
      /each (\w+) in client\.(\w+)\((\w*)\) \{/,
      "await foreach (var $1 in client.$2Async($3)) {",
    )
      .replace(/each (\w+) in stream \{/, "await foreach (var $1 in stream) {")
      .replace(/each (\w+) in ([\w.]+) \{/, "foreach (var $1 in $2) {")
      .replace(/= client\.(Stream\w+)\(/, "= client.$1Async(").replace(
        /= client\.(\w+)(?<!Async)\(/,
        "= await client.$1Async(",
      )
      .replace(/Key\("(\w+)"\)/, `$"$1-{Guid.NewGuid()}"`)
      .replace(/Day\(/, "DateTime.Parse(").replace(/Bytes\(/, "Encoding.UTF8.GetBytes("),
  );
}

function java(line: string): string {
  const text = line.replace("PRICE", "print(update.map(Prices::buyPrice))")
    .replace(/print\((.*)\)$/, (_, printed: string) => {
      const parts = partsOf(printed).map(({ text, value, decimals }) =>
        text === undefined ? value + (decimals ? `.setScale(${decimals})` : "") : `"${text}"`
      );
      return `System.out.println(${
        parts.join(` + " " + `).replaceAll(/ \+ " " \+ "/g, ' + " ').replaceAll(
          /" \+ " " \+ /g,
          ' " + ',
        )
      });`;
    })
    .replace(/each (\w+) in (.*) \{$/, "for (var $1 : $2) {")
    .replace(
      / \{ (\w+) = (.*?) \}/,
      (_, name: string, value: string) => `.${camel(name)}(${value})`,
    )
    .replaceAll(/\b(\d[\d.]*)m\b/g, 'new BigDecimal("$1")')
    .replace(/Key\("(\w+)"\)/, `"$1-" + UUID.randomUUID()`)
    .replace(/Day\(/, "LocalDate.parse(").replace(
      /Bytes\((".*?")\)/,
      "$1.getBytes()",
    )
    .replaceAll(".Count", ".size()")
    .replaceAll(
      /(?<=[a-z)])\.([A-Z]\w*)(\(?)/g,
      (_, name: string, call: string) => `.${camel(name)}${call || "()"}`,
    );
  return fit(text);
}

/** The sample of an operation in one of the two languages; undefined if the clients have no method for it. */
export function typedSample(
  operation: OperationId,
  language: "java" | "csharp",
): string | undefined {
  const source = SOURCES[operation];
  if (source === undefined) return undefined;
  const lines = source.split("\n");
  const body = language === "java"
    ? lines.map(java).join("\n")
    : lines.filter((line) => line !== "stream.close();").map(csharp).join("\n");
  if (language === "csharp") {
    const names = [
      "System",
      ...(body.includes("Encoding.") ? ["System.Text"] : []),
      "GoldPartner",
    ];
    return `${names.map((name) => `using ${name};`).join("\n")}

using var client = GoldClient.FromEnvironment();
${body}`;
  }
  const imports = {
    BigDecimal: "java.math",
    LocalDate: "java.time",
    UUID: "java.util",
  };
  const used = Object.entries(imports).filter(([name]) =>
    body.includes(`${name}(`) || body.includes(`${name}.`)
  )
    .map(([name, from]) => `import ${from}.${name};`);
  return `${
    ["import gold.partner.Api.*;", "import gold.partner.GoldClient;", ...used]
      .join("\n")
  }

var client = GoldClient.fromEnv();
${body}`;
}
