// The TypeScript and Python samples of the reference. Each is a whole program. They are in the order in which a
// test executes them. The samples in curl are made from the table of operations.
import { ENDPOINTS, type OperationId } from "@gold-partner/protocol";

interface Samples {
  readonly typescript: string;
  readonly python: string;
}

/** Both clients read the path of credentials.json from GOLD_CREDENTIALS. */
const CLIENT: Samples = {
  typescript: `import { GoldClient } from "@gold-partner/client";

const client = await GoldClient.fromEnv();`,
  python: `from gold_partner import GoldClient

client = GoldClient.from_env()`,
};

/** Reads what a request without the clients needs. */
const OWN: Samples = {
  typescript: `const file = process.env.GOLD_CREDENTIALS!;
const own = JSON.parse(await readFile(file, "utf8"));
const ca = await readFile(own.ca);
const cert = await readFile(own.cert);
const key = await readFile(own.key);`,
  python: `file = Path(os.environ["GOLD_CREDENTIALS"])
own = json.loads(file.read_text())
tls = ssl.create_default_context(cafile=own["ca"])
tls.load_cert_chain(own["cert"], own["key"])`,
};

/** Calls an operation that the clients have no method for. */
const fetched = (operation: OperationId): Samples => ({
  typescript: `import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { get } from "node:https";
import { text } from "node:stream/consumers";

${OWN.typescript}

const path = "${ENDPOINTS[operation].path}";
const call = get(own.base_url + path, { ca, cert, key });
const [reply] = await once(call, "response");
console.log(await text(reply));`,
  python: `import json, os, ssl
from pathlib import Path
from urllib.request import urlopen

${OWN.python}

url = own["base_url"]
url += "${ENDPOINTS[operation].path}"
with urlopen(url, context=tls) as reply:
    print(reply.read().decode())`,
});

const withClient = (samples: Partial<Record<OperationId, Samples>>) =>
  Object.fromEntries(
    Object.entries(samples).map(([operation, { typescript, python }]) => [operation, {
      typescript: `${CLIENT.typescript}\n${typescript}`,
      // An import of a sample stands with the other imports.
      python: python.startsWith("from ")
        ? `${python.split("\n", 1)[0]}\n${CLIENT.python}${python.slice(python.indexOf("\n"))}`
        : `${CLIENT.python}\n${python}`,
    }]),
  );

/** Both clients fetch and renew their tokens by themselves, so this sample shows the request that they send. */
const TOKEN: Samples = {
  typescript: `// The client gets its tokens by itself, like this:
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { json } from "node:stream/consumers";

${OWN.typescript}

const { client_id, client_secret } = own;
const form = new URLSearchParams({
  grant_type: "client_credentials",
  client_id,
  client_secret,
});
const type = "application/x-www-form-urlencoded";
const call = request(own.base_url + "/oauth/token", {
  method: "POST",
  headers: { "Content-Type": type },
  ca,
  cert,
  key,
}).end(form.toString());
const [reply] = await once(call, "response");
const { expires_in } = await json(reply);
console.log(expires_in);`,
  python: `# The client gets its tokens by itself, like this:
import json, os, ssl
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

${OWN.python}

form = urlencode({
    "grant_type": "client_credentials",
    "client_id": own["client_id"],
    "client_secret": own["client_secret"],
}).encode()
url = own["base_url"] + "/oauth/token"
with urlopen(url, form, context=tls) as reply:
    print(json.load(reply)["expires_in"])`,
};

export const SAMPLES: Readonly<Partial<Record<OperationId, Samples>>> = {
  issueToken: TOKEN,
  ...withClient({
    fundSandbox: {
      typescript: `const funding = await client.fundSandbox({
  amount_sar: "100000",
});
const { sar } = funding.balances;
console.log(\`\${sar.available.toFixed(2)} SAR\`);`,
      python: `funding = client.fund_sandbox("100000")
sar = funding["balances"]["sar"]
print(f"{sar['available']:.2f} SAR")`,
    },
    getPrices: {
      typescript: `const prices = await client.getPrices();
console.log(prices.market, prices.buy_price.toFixed(4));`,
      python: `prices = client.get_prices()
print(prices["market"], f"{prices['buy_price']:.4f}")`,
    },
    getPriceHistory: {
      typescript: `const { bars } = await client.getPriceHistory();
for (const { begins_at, buy_price } of bars.slice(-5)) {
  console.log(begins_at, \`\${buy_price.last}\`);
}`,
      python: `history = client.get_price_history()
for bar in history["bars"][-5:]:
    print(bar["begins_at"], bar["buy_price"]["last"])`,
    },
    streamPrices: {
      typescript: `for await (const prices of client.streamPrices()) {
  console.log(\`\${prices?.buy_price}\`);
  break;
}`,
      python: `for prices in client.stream_prices():
    print(prices and prices["buy_price"])
    break`,
    },
    createQuote: {
      typescript: `const quote = await client.createQuote({
  side: "buy",
  gold_grams: "0.25",
  account_label: "Desk 7",
});
console.log(\`\${quote.total_sar.toFixed(2)} SAR\`);
console.log(quote.expires_at);`,
      python: `quote = client.create_quote(
    "buy", gold_grams="0.25", account_label="Desk 7",
)
print(f"{quote['total_sar']:.2f} SAR")
print(quote["expires_at"])`,
    },
    getQuote: {
      typescript: `const { quote_id } = await client.createQuote({
  side: "buy",
  gold_grams: "0.25",
});
const quote = await client.getQuote(quote_id);
console.log(quote.status);`,
      python: `quote = client.create_quote("buy", gold_grams="0.25")
again = client.get_quote(quote["quote_id"])
print(again["status"])`,
    },
    probeSignature: {
      typescript: `const verdict = await client.probeSignature();
console.log(verdict.valid, verdict.mistake);`,
      python: `verdict = client.probe_signature()
print(verdict["valid"], verdict["mistake"])`,
    },
    createOrder: {
      typescript: `const quote = await client.createQuote({
  side: "buy",
  gold_grams: "0.25",
  account_label: "Desk 7",
});

// Store the key first. A retry sends the same key.
const idempotencyKey = \`order-\${crypto.randomUUID()}\`;
const order = await client.placeOrder(
  { quote_id: quote.quote_id },
  { idempotencyKey },
);
console.log(order.order_id, \`\${order.gold_grams} g\`);`,
      python: `from uuid import uuid4
quote = client.create_quote(
    "buy", gold_grams="0.25", account_label="Desk 7",
)

# Store the key first. A retry sends the same key.
key = f"order-{uuid4()}"
order = client.place_order(
    quote["quote_id"], idempotency_key=key,
)
print(order["order_id"], order["gold_grams"], "g")`,
    },
    listOrders: {
      typescript: `const orders = client.listOrders({
  account_label: "Desk 7",
});
for await (const { order_id, total_sar } of orders) {
  console.log(order_id, total_sar.toFixed(2), "SAR");
}`,
      python: `for order in client.list_orders(account_label="Desk 7"):
    print(order["order_id"], order["executed_at"])
    print(f"{order['total_sar']:.2f} SAR")`,
    },
    getOrder: {
      typescript: `const { items: [newest] } = await client.listOrders();
const order = await client.getOrder(newest!.order_id);
console.log(order.executed_at);`,
      python: `newest = next(iter(client.list_orders()))
order = client.get_order(newest["order_id"])
print(order["executed_at"])`,
    },
    createWithdrawal: {
      typescript: `
// Store the key first. A retry sends the same key.
const idempotencyKey = \`payout-\${crypto.randomUUID()}\`;
const withdrawal = await client.createWithdrawal(
  { amount_sar: "50", reference: "SETTLEMENT 17" },
  { idempotencyKey },
);
console.log(withdrawal.status, withdrawal.iban_masked);`,
      python: `from uuid import uuid4

# Store the key first. A retry sends the same key.
key = f"payout-{uuid4()}"
withdrawal = client.create_withdrawal(
    "50",
    reference="SETTLEMENT 18",
    idempotency_key=key,
)
print(withdrawal["status"], withdrawal["iban_masked"])`,
    },
    simulateWithdrawal: {
      typescript: `const { withdrawal_id } = await client.createWithdrawal({
  amount_sar: "100",
});
const paid = await client.simulateWithdrawal({
  withdrawal_id,
  outcome: "paid",
});
console.log(paid.status);`,
      python: `withdrawal = client.create_withdrawal("100")
paid = client.simulate_withdrawal(
    withdrawal["withdrawal_id"], outcome="paid",
)
print(paid["status"])`,
    },
    cancelWithdrawal: {
      typescript: `const { withdrawal_id } = await client.createWithdrawal({
  amount_sar: "10",
});
const cancelled = await client.cancelWithdrawal(
  withdrawal_id,
);
console.log(cancelled.status);`,
      python: `pending = client.create_withdrawal("10")
cancelled = client.cancel_withdrawal(
    pending["withdrawal_id"],
)
print(cancelled["status"])`,
    },
    listWithdrawals: {
      typescript: `const withdrawals = client.listWithdrawals();
for await (const { amount_sar, status } of withdrawals) {
  console.log(\`\${amount_sar.toFixed(2)} SAR\`, status);
}`,
      python: `for withdrawal in client.list_withdrawals():
    print(f"{withdrawal['amount_sar']:.2f} SAR")`,
    },
    getWithdrawal: {
      typescript: `const { items } = await client.listWithdrawals();
const withdrawal = await client.getWithdrawal(
  items[0]!.withdrawal_id,
);
console.log(withdrawal.status);`,
      python: `newest = next(iter(client.list_withdrawals()))
withdrawal = client.get_withdrawal(
    newest["withdrawal_id"],
)
print(withdrawal["status"])`,
    },
    simulateDeposit: {
      typescript: `const deposit = await client.simulateDeposit({
  amount_sar: "100000",
});
console.log(deposit.funding_id, deposit.created_at);`,
      python: `deposit = client.simulate_deposit("100000")
print(deposit["funding_id"], deposit["created_at"])`,
    },
    simulateDepositReversal: {
      typescript: `const { funding_id } = await client.simulateDeposit({
  amount_sar: "100000",
});
const reversed = await client.simulateDepositReversal({
  funding_id,
});
console.log(reversed.reversed_at);`,
      python: `deposit = client.simulate_deposit("100000")
reversal = client.simulate_deposit_reversal(
    deposit["funding_id"],
)
print(reversal["reversed_at"])`,
    },
    listFundings: {
      typescript: `const fundings = client.listFundings();
for await (const { funding_id, amount_sar } of fundings) {
  console.log(funding_id, amount_sar.toFixed(2), "SAR");
}`,
      python: `for funding in client.list_fundings():
    print(f"{funding['amount_sar']:.2f} SAR")`,
    },
    getFunding: {
      typescript: `const { items: [newest] } = await client.listFundings();
const funding = await client.getFunding(
  newest!.funding_id,
);
console.log(funding.created_at, funding.reversed_at);`,
      python: `newest = next(iter(client.list_fundings()))
funding = client.get_funding(newest["funding_id"])
print(funding["created_at"], funding["reversed_at"])`,
    },
    getBalances: {
      typescript: `const { sar, gold } = await client.getBalances();
console.log(\`\${sar.available.toFixed(2)} SAR\`);
console.log(\`\${gold.grams} g\`);`,
      python: `balances = client.get_balances()
print(f"{balances['sar']['available']:.2f} SAR")
print(balances["gold"]["grams"], "g")`,
    },
    testWebhook: {
      typescript: `const event = await client.testWebhook();
console.log(event.id, event.delivery.status);`,
      python: `event = client.test_webhook()
print(event["id"], event["delivery"]["status"])`,
    },
    listEvents: {
      typescript: `const events = client.listEvents({ after: 0 });
for await (const { sequence, type } of events) {
  console.log(sequence, type);
}`,
      python: `for event in client.list_events(after=0):
    print(event["sequence"], event["type"])`,
    },
    streamEvents: {
      typescript: `const stream = client.streamEvents({ after: 0 });
for await (const { sequence, type } of stream) {
  console.log(sequence, type);
  break;
}`,
      python: `for event in client.stream_events(after=0):
    print(event["sequence"], event["type"])
    break`,
    },
    getEvent: {
      typescript: `const { items: [first] } = await client.listEvents();
const { delivery } = await client.getEvent(first!.id);
console.log(delivery.status, delivery.attempts.length);`,
      python: `first = next(iter(client.list_events()))
delivery = client.get_event(first["id"])["delivery"]
print(delivery["status"], len(delivery["attempts"]))`,
    },
    redeliverEvent: {
      typescript: `const { items: [first] } = await client.listEvents();
const { delivery } = await client.redeliverEvent(
  first!.id,
);
console.log(delivery.next_attempt_at);`,
      python: `first = next(iter(client.list_events()))
again = client.redeliver_event(first["id"])
print(again["delivery"]["next_attempt_at"])`,
    },
    getStatement: {
      typescript: `const statement = await client.getStatement({
  from: "2026-01-31",
  to: "2026-01-31",
});
const { gold_grams } = statement.closing_balance;
console.log(statement.postings.length, \`\${gold_grams} g\`);`,
      python: `statement = client.get_statement(
    "2026-01-31", "2026-01-31",
)
print(len(statement["postings"]))
print(statement["closing_balance"]["gold_grams"], "g")`,
    },
    getReserves: {
      typescript: `const reserves = await client.getReserves();
const { fine_grams, owed_grams } = reserves;
console.log(\`\${fine_grams} g for \${owed_grams} g\`);`,
      python: `reserves = client.get_reserves()
print(reserves["fine_grams"], reserves["owed_grams"])`,
    },
    getReservesList: {
      typescript: `const reserves = await client.getReserves();
const { bars, sha256 } = await client.getReservesList(
  reserves.reserves_list_id,
);
console.log(bars.length, sha256);`,
      python: `reserves = client.get_reserves()
bars = client.get_reserves_list(
    reserves["reserves_list_id"],
)
print(len(bars["bars"]), bars["sha256"])`,
    },
    getLimits: {
      typescript: `const limits = await client.getLimits();
const { gold_grams, rate_limit } = limits;
console.log(\`\${gold_grams.maximum} g\`);
console.log(rate_limit.requests_per_second);`,
      python: `limits = client.get_limits()
print(limits["gold_grams"]["maximum"], "g")
print(limits["rate_limit"]["requests_per_second"])`,
    },
    getChainKey: {
      typescript: `const own = await client.getChainKey();
console.log(own.client_number, own.chain_key.length);`,
      python: `own = client.get_chain_key()
print(own["client_number"], len(own["chain_key"]))`,
    },
    getAccount: {
      typescript: `const account = await client.getAccount();
console.log(account.name, account.ip_ranges);
console.log(account.settlement.iban_masked);`,
      python: `account = client.get_account()
print(account["name"], account["ip_ranges"])
print(account["settlement"]["iban_masked"])`,
    },
    requestChange: {
      typescript: `const change = await client.requestChange(
  { ip_range: "203.0.113.0/24" },
  { idempotencyKey: "second-office" },
);
console.log(change.change_id, change.status);`,
      python: `change = client.request_change(
    ip_range="203.0.113.0/24",
    idempotency_key="second-office",
)
print(change["change_id"], change["status"])`,
    },
    getChanges: {
      typescript: `const { items } = await client.getChanges();
for (const { kind, status } of items) {
  console.log(kind, status);
}`,
      python: `for one in client.get_changes()["items"]:
    print(one["kind"], one["status"])`,
    },
    getChange: {
      typescript: `const { change_id } = await client.requestChange(
  { ip_range: "203.0.113.0/24" },
  { idempotencyKey: "second-office" },
);
const read = await client.getChange(change_id);
console.log(read.status, read.certificate);`,
      python: `requested = client.request_change(
    ip_range="203.0.113.0/24",
    idempotency_key="second-office",
)
read = client.get_change(requested["change_id"])
print(read["status"], read["certificate"])`,
    },
    getCredentials: {
      typescript: `const { certificates } = await client.getCredentials();
for (const { expires_at } of certificates) {
  console.log(expires_at);
}`,
      python: `for one in client.get_credentials()["certificates"]:
    print(one["expires_at"])`,
    },
    getHealth: {
      typescript: `console.log((await client.getHealth()).status);`,
      python: `print(client.get_health()["status"])`,
    },
    simulateQuoteExpiry: {
      typescript: `const { quote_id } = await client.createQuote({
  side: "buy",
  gold_grams: "0.25",
});
const ended = await client.simulateQuoteExpiry({
  quote_id,
});
console.log(ended.status);`,
      python: `quote = client.create_quote("buy", gold_grams="0.25")
ended = client.simulate_quote_expiry(quote["quote_id"])
print(ended["status"])`,
    },
    simulateEvent: {
      typescript: `const event = await client.simulateEvent({
  type: "credential.ended",
});
console.log(event.sequence);`,
      python: `event = client.simulate_event("credential.ended")
print(event["sequence"])`,
    },
    simulateMarket: {
      typescript: `const armed = await client.simulateMarket({
  state: "closed",
  seconds: 30,
});
console.log(armed.market);`,
      python: `armed = client.simulate_market("closed", seconds=30)
print(armed["market"])`,
    },
    simulatePrices: {
      typescript: `const armed = await client.simulatePrices({
  percent: 10,
});
console.log(armed.prices);`,
      python: `armed = client.simulate_prices(10)
print(armed["prices"])`,
    },
    simulateFailure: {
      typescript: `const armed = await client.simulateFailure({
  kind: "lost_reply",
});
console.log(armed.failure);`,
      python: `armed = client.simulate_failure("lost_reply")
print(armed["failure"])`,
    },
    simulateWebhooks: {
      typescript: `const armed = await client.simulateWebhooks({
  kind: "late",
  seconds: 20,
  count: 3,
});
console.log(armed.webhooks);`,
      python: `armed = client.simulate_webhooks(
    "late", seconds=20, count=3,
)
print(armed["webhooks"])`,
    },
    getSimulations: {
      typescript: `console.log(await client.getSimulations());`,
      python: `print(client.get_simulations())`,
    },
    resetSimulations: {
      typescript: `console.log(await client.resetSimulations());`,
      python: `print(client.reset_simulations())`,
    },
  }),
  getTokenKeys: fetched("getTokenKeys"),
  getAuthorizationServer: fetched("getAuthorizationServer"),
  getOpenApi: fetched("getOpenApi"),
  getReference: fetched("getReference"),
  getErrorCatalogue: fetched("getErrorCatalogue"),
};
