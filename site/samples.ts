// The TypeScript and Python samples of the reference. They are in the order in which a test executes them as
// one program, so a sample may use the results of those before it. The samples in curl are made from the
// table of operations.
import type { OperationId } from "@gold-partner/protocol";

interface Samples {
  readonly typescript: string;
  readonly python: string;
}

/**
 * The code that runs before the samples. `send` calls the operations for which the clients have no method.
 */
export const SETUP: Samples = {
  typescript: `import { readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:https";
import { text } from "node:stream/consumers";
import { GoldClient } from "@gold-partner/client";

// GOLD_CREDENTIALS is the path of your credentials.json.
const client = await GoldClient.fromEnv();

const { base_url, client_id, client_secret, ...files } = JSON.parse(
  await readFile(process.env.GOLD_CREDENTIALS!, "utf8"),
);
const [ca, cert, key] = await Promise.all([files.ca, files.cert, files.key].map((file) => readFile(file)));

/** Calls an operation that the client has no method for, and returns the reply as text. */
async function send(path: string, form?: Record<string, string>): Promise<string> {
  const headers = form ? { "Content-Type": "application/x-www-form-urlencoded" } : {};
  const reply = await new Promise<IncomingMessage>((resolve, reject) =>
    request(base_url + path, { ca, cert, key, headers, method: form ? "POST" : "GET" }, resolve)
      .on("error", reject).end(form && new URLSearchParams(form).toString())
  );
  if (reply.statusCode !== 200) throw new Error(await text(reply));
  return await text(reply);
}`,
  python: `import json, os, ssl, urllib.parse, urllib.request
from pathlib import Path
from gold_partner import GoldClient

# GOLD_CREDENTIALS is the path of your credentials.json.
client = GoldClient.from_env()

credentials = json.loads(Path(os.environ["GOLD_CREDENTIALS"]).read_text())
tls = ssl.create_default_context(cafile=credentials["ca"])
tls.load_cert_chain(credentials["cert"], credentials["key"])

def send(path, form=None):
    """Calls an operation that the client has no method for, and returns the reply as text."""
    data = urllib.parse.urlencode(form).encode() if form else None
    with urllib.request.urlopen(credentials["base_url"] + path, data, context=tls) as reply:
        return reply.read().decode()`,
};

/**
 * Both clients fetch and renew their tokens by themselves, so this sample shows the request that they send.
 */
const TOKEN: Samples = {
  typescript: `// The client fetches and renews its tokens by itself. This is what it sends:
const token = JSON.parse(
  await send("/oauth/token", { grant_type: "client_credentials", client_id, client_secret }),
);
console.log(token.expires_in);`,
  python: `# The client fetches and renews its tokens by itself. This is what it sends:
token = json.loads(send("/oauth/token", {
    "grant_type": "client_credentials",
    "client_id": credentials["client_id"],
    "client_secret": credentials["client_secret"],
}))
print(token["expires_in"])`,
};

const fetched = (path: string): Samples => ({
  typescript: `console.log(await send("${path}"));`,
  python: `print(send("${path}"))`,
});

export const SAMPLES: Readonly<Partial<Record<OperationId, Samples>>> = {
  issueToken: TOKEN,
  fundSandbox: {
    typescript: `const funding = await client.fundSandbox({ amount_sar: "100000" });
console.log(\`\${funding.balances.sar.available} SAR\`);`,
    python: `funding = client.fund_sandbox("100000")
print(funding["balances"]["sar"]["available"], "SAR")`,
  },
  getPrices: {
    typescript: `const { market, buy_price, sell_price } = await client.getPrices();
console.log(market, \`\${buy_price} \${sell_price}\`);`,
    python: `prices = client.get_prices()
print(prices["market"], prices["buy_price"], prices["sell_price"])`,
  },
  getPriceHistory: {
    typescript: `const history = await client.getPriceHistory();
for (const { begins_at, buy_price } of history.bars.slice(-5)) console.log(begins_at, \`\${buy_price.last}\`);`,
    python: `for bar in client.get_price_history()["bars"][-5:]:
    print(bar["begins_at"], bar["buy_price"]["last"])`,
  },
  createQuote: {
    typescript:
      `const quote = await client.createQuote({ side: "buy", gold_grams: "12.3456", account_label: "Desk 7" });
console.log(\`\${quote.total_sar} SAR until \${quote.expires_at}\`);`,
    python: `quote = client.create_quote("buy", gold_grams="12.3456", account_label="Desk 7")
print(quote["total_sar"], "SAR until", quote["expires_at"])`,
  },
  getQuote: {
    typescript: `const { status } = await client.getQuote(quote.quote_id);
console.log(status);`,
    python: `print(client.get_quote(quote["quote_id"])["status"])`,
  },
  probeSignature: {
    typescript: `const { valid, mistake } = await client.probeSignature();
console.log(valid, mistake);`,
    python: `verdict = client.probe_signature()
print(verdict["valid"], verdict["mistake"])`,
  },
  createOrder: {
    typescript:
      `const order = await client.placeOrder({ quote_id: quote.quote_id }, { idempotencyKey: crypto.randomUUID() });
console.log(order.order_id, \`\${order.gold_grams} g\`);`,
    python: `import uuid

order = client.place_order(quote["quote_id"], idempotency_key=str(uuid.uuid4()))
print(order["order_id"], order["gold_grams"], "g")`,
  },
  listOrders: {
    typescript:
      `for await (const { order_id, side, total_sar } of client.listOrders({ account_label: "Desk 7" })) {
  console.log(order_id, side, \`\${total_sar} SAR\`);
}`,
    python: `for one in client.list_orders(account_label="Desk 7"):
    print(one["order_id"], one["side"], one["total_sar"], "SAR")`,
  },
  getOrder: {
    typescript: `const executed = await client.getOrder(order.order_id);
console.log(executed.executed_at);`,
    python: `executed = client.get_order(order["order_id"])
print(executed["executed_at"])`,
  },
  createWithdrawal: {
    typescript:
      `const withdrawal = await client.createWithdrawal({ amount_sar: "5000", reference: "SETTLEMENT 17" });
console.log(withdrawal.status, withdrawal.iban_masked);`,
    python: `withdrawal = client.create_withdrawal("5000", reference="SETTLEMENT 18")
print(withdrawal["status"], withdrawal["iban_masked"])`,
  },
  simulateWithdrawal: {
    typescript:
      `const paid = await client.simulateWithdrawal({ withdrawal_id: withdrawal.withdrawal_id, outcome: "paid" });
console.log(paid.status);`,
    python: `paid = client.simulate_withdrawal(withdrawal["withdrawal_id"], outcome="paid")
print(paid["status"])`,
  },
  cancelWithdrawal: {
    typescript: `const pending = await client.createWithdrawal({ amount_sar: "10" });
const cancelled = await client.cancelWithdrawal(pending.withdrawal_id);
console.log(cancelled.status, cancelled.balances.sar.available);`,
    python: `pending = client.create_withdrawal("10")
cancelled = client.cancel_withdrawal(pending["withdrawal_id"])
print(cancelled["status"], cancelled["balances"]["sar"]["available"])`,
  },
  listWithdrawals: {
    typescript:
      `for await (const { reference, status } of client.listWithdrawals()) console.log(reference, status);`,
    python: `for one in client.list_withdrawals():
    print(one["reference"], one["status"])`,
  },
  getWithdrawal: {
    typescript: `const payment = await client.getWithdrawal(withdrawal.withdrawal_id);
console.log(payment.status);`,
    python: `print(client.get_withdrawal(withdrawal["withdrawal_id"])["status"])`,
  },
  simulateDeposit: {
    typescript: `const deposit = await client.simulateDeposit({ amount_sar: "100000" });
console.log(deposit.funding_id, \`\${deposit.amount_sar} SAR\`);`,
    python: `deposit = client.simulate_deposit("100000")
print(deposit["funding_id"], deposit["amount_sar"], "SAR")`,
  },
  simulateDepositReversal: {
    typescript: `const reversed = await client.simulateDepositReversal({ funding_id: deposit.funding_id });
console.log(reversed.reversed_at);`,
    python: `reversal = client.simulate_deposit_reversal(deposit["funding_id"])
print(reversal["reversed_at"])`,
  },
  listFundings: {
    typescript: `for await (const { funding_id, amount_sar } of client.listFundings()) {
  console.log(funding_id, \`\${amount_sar} SAR\`);
}`,
    python: `for one in client.list_fundings():
    print(one["funding_id"], one["amount_sar"], "SAR")`,
  },
  getFunding: {
    typescript: `const { reversed_at } = await client.getFunding(funding.funding_id);
console.log(reversed_at);`,
    python: `print(client.get_funding(funding["funding_id"])["reversed_at"])`,
  },
  getBalances: {
    typescript: `const { sar, gold } = await client.getBalances();
console.log(\`\${sar.available} SAR, \${gold.grams} g\`);`,
    python: `balances = client.get_balances()
print(balances["sar"]["available"], "SAR", balances["gold"]["grams"], "g")`,
  },
  testWebhook: {
    typescript: `const event = await client.testWebhook();
console.log(event.id, event.delivery.status);`,
    python: `event = client.test_webhook()
print(event["id"], event["delivery"]["status"])`,
  },
  listEvents: {
    typescript:
      `for await (const { sequence, type } of client.listEvents({ after: 0 })) console.log(sequence, type);`,
    python: `for one in client.list_events(after=0):
    print(one["sequence"], one["type"])`,
  },
  getEvent: {
    typescript: `const { delivery } = await client.getEvent(event.id);
console.log(delivery.status, delivery.attempts.length);`,
    python: `delivery = client.get_event(event["id"])["delivery"]
print(delivery["status"], len(delivery["attempts"]))`,
  },
  redeliverEvent: {
    typescript: `const again = await client.redeliverEvent(event.id);
console.log(again.delivery.next_attempt_at);`,
    python: `again = client.redeliver_event(event["id"])
print(again["delivery"]["next_attempt_at"])`,
  },
  getStatement: {
    typescript:
      `const { postings, closing_balance } = await client.getStatement({ from: "2026-01-31", to: "2026-01-31" });
console.log(postings.length, \`\${closing_balance.gold_grams} g\`);`,
    python: `statement = client.get_statement("2026-01-31", "2026-01-31")
print(len(statement["postings"]), statement["closing_balance"]["gold_grams"], "g")`,
  },
  getReserves: {
    typescript: `const { fine_grams, owed_grams } = await client.getReserves();
console.log(\`\${fine_grams} g for \${owed_grams} g\`);`,
    python: `reserves = client.get_reserves()
print(reserves["fine_grams"], "g for", reserves["owed_grams"], "g")`,
  },
  getReservesList: {
    typescript: `const { bars, sha256 } = await client.getReservesList("lst_1");
console.log(bars.length, sha256);`,
    python: `reserves_list = client.get_reserves_list("lst_1")
print(len(reserves_list["bars"]), reserves_list["sha256"])`,
  },
  getLimits: {
    typescript: `const { gold_grams, rate_limit } = await client.getLimits();
console.log(\`\${gold_grams.maximum} g\`, rate_limit.requests_per_second);`,
    python: `limits = client.get_limits()
print(limits["gold_grams"]["maximum"], "g", limits["rate_limit"]["requests_per_second"])`,
  },
  getChainKey: {
    typescript: `const { client_number, chain_key } = await client.getChainKey();
console.log(client_number, chain_key.length);`,
    python: `key = client.get_chain_key()
print(key["client_number"], len(key["chain_key"]))`,
  },
  getAccount: {
    typescript: `const { name, ip_ranges, settlement } = await client.getAccount();
console.log(name, ip_ranges, settlement.iban_masked);`,
    python: `account = client.get_account()
print(account["name"], account["ip_ranges"], account["settlement"]["iban_masked"])`,
  },
  getCredentials: {
    typescript: `const { certificates } = await client.getCredentials();
console.log(certificates.map(({ expires_at }) => expires_at));`,
    python: `credentials_of_mine = client.get_credentials()
print([one["expires_at"] for one in credentials_of_mine["certificates"]])`,
  },
  getHealth: {
    typescript: `console.log((await client.getHealth()).status);`,
    python: `print(client.get_health()["status"])`,
  },
  simulateQuoteExpiry: {
    typescript: `const unused = await client.createQuote({ side: "buy", gold_grams: "12.3456" });
const ended = await client.simulateQuoteExpiry({ quote_id: unused.quote_id });
console.log(ended.status);`,
    python: `unused = client.create_quote("buy", gold_grams="12.3456")
print(client.simulate_quote_expiry(unused["quote_id"])["status"])`,
  },
  simulateEvent: {
    typescript: `console.log((await client.simulateEvent({ type: "day.closed" })).sequence);`,
    python: `print(client.simulate_event("day.closed")["sequence"])`,
  },
  simulateMarket: {
    typescript: `const armed = await client.simulateMarket({ state: "closed", seconds: 30 });
console.log(armed.market);`,
    python: `armed = client.simulate_market("closed", seconds=30)
print(armed["market"])`,
  },
  simulatePrices: {
    typescript: `console.log((await client.simulatePrices({ percent: 10 })).prices);`,
    python: `print(client.simulate_prices(10)["prices"])`,
  },
  simulateFailure: {
    typescript: `console.log((await client.simulateFailure({ kind: "lost_reply" })).failure);`,
    python: `print(client.simulate_failure("lost_reply")["failure"])`,
  },
  simulateWebhooks: {
    typescript: `const disturbed = await client.simulateWebhooks({ kind: "late", seconds: 20, count: 3 });
console.log(disturbed.webhooks);`,
    python: `disturbed = client.simulate_webhooks("late", seconds=20, count=3)
print(disturbed["webhooks"])`,
  },
  getSimulations: {
    typescript: `console.log(await client.getSimulations());`,
    python: `print(client.get_simulations())`,
  },
  resetSimulations: {
    typescript: `console.log(await client.resetSimulations());`,
    python: `print(client.reset_simulations())`,
  },
  getTokenKeys: fetched("/.well-known/jwks.json"),
  getAuthorizationServer: fetched("/.well-known/oauth-authorization-server"),
  getOpenApi: fetched("/openapi.json"),
  getReference: fetched("/docs"),
  getErrorCatalogue: fetched("/docs/errors"),
};
