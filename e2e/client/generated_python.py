"""Sends and reads money with a client that openapi-generator generated, in the package gold_generated. Runs the example
of docs/generated_clients.md. Prints what the client read, as one JSON object of decimal texts."""

import json
import sys
from datetime import date, timedelta, timezone

import gold_generated as gold

base_url, token, ca, cert, key, amount, example = sys.argv[1:]
client = gold.ApiClient(gold.Configuration(host=base_url, ssl_ca_cert=ca, cert_file=cert, key_file=key, access_token=token))
money, trading, books = gold.MoneyApi(client), gold.TradingApi(client), gold.BooksApi(client)

funding = money.fund_sandbox(f"python-funding-{base_url}", gold.FundRequest(amount_sar=amount))
exec(example.replace("quote-1", f"quote-{base_url}"))
assert isinstance(quote.total_sar, float) and total == exact["total_sar"] and str(total) == str(quote.total_sar)
balances = books.get_balances(at=quote.created_at.astimezone(timezone(timedelta(hours=3))))

today = date.today()
books.get_limits()
books.get_chain_key()
books.get_reserves()
books.get_statement(today - timedelta(days=1), today + timedelta(days=1))
gold.AccessApi(client).get_credentials()
gold.SandboxApi(client).get_simulations()
money.list_fundings()
event = books.list_events().items[0]
print(
    json.dumps(
        {
            "quote_id": quote.quote_id,
            "funded_sar": str(funding.amount_sar),
            "gold_grams": str(quote.gold_grams),
            "price_per_gram_sar": str(quote.price_per_gram_sar),
            "total_sar": str(quote.total_sar),
            "available_sar": str(balances.sar.available),
            "order_status": trading.list_orders().items[0].status,
            "withdrawal_status": money.list_withdrawals().items[0].status,
            "event_type": event.type,
            "delivery_status": event.delivery.status,
        }
    )
)
