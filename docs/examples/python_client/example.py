"""Reads prices, trades, withdraws and lists records: python3 example.py path/to/credentials.json"""

import sys
import uuid
from decimal import Decimal

from gold_client import GoldClient, GoldError


def main(credentials: str) -> None:
    gold = GoldClient.from_credentials(credentials)
    prices = gold.prices()
    print(f"a gram costs {prices['buy_price']} and brings {prices['sell_price']} SAR; the market is {prices['market']}")

    gold.fund(Decimal("10000"), idempotency_key=new_key())
    for side, grams in (("buy", Decimal("1.5")), ("sell", Decimal("0.5"))):
        quote = gold.quote(side, gold_grams=grams, idempotency_key=new_key())
        order = gold.order(quote["quote_id"], idempotency_key=new_key())
        print(f"{order['status']}: {side} {order['gold_grams']} g for {order['total_sar']} SAR, {order['order_id']}")

    withdrawal = gold.withdraw(Decimal("1000.00"), reference=uuid.uuid4().hex, idempotency_key=new_key())
    print(f"{withdrawal['status']}: {withdrawal['amount_sar']} SAR to {withdrawal['iban_masked']}")

    try:
        gold.quote("buy", amount_sar=Decimal("0.01"), idempotency_key=new_key())
    except GoldError as error:
        print(f"refused as expected: {error.code}")

    balances = gold.balances()
    print(f"{balances['sar']['available']} SAR available, {balances['sar']['held']} held, {balances['gold']['grams']} g of gold")
    print(f"{len(list(gold.orders()))} orders, {len(list(gold.withdrawals()))} withdrawals, {len(list(gold.events()))} events")


def new_key() -> str:
    """Returns a key for one operation.

    A real client stores the key before the call. After a crash, it can then retry with the same key.
    """
    return str(uuid.uuid4())


if __name__ == "__main__":
    main(sys.argv[1])
