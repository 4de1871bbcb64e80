import {
  type Members,
  ORDER as ORDER_MEMBERS,
  QUOTE as QUOTE_MEMBERS,
  textsOf,
  WITHDRAWAL as WITHDRAWAL_MEMBERS,
} from "@gold-partner/protocol";
import type { Command, Invocation, Term } from "../command.ts";
import { usage } from "../failure.ts";
import { RECORD, RECORD_TERM, recordingClient } from "../record.ts";
import { optional, required } from "../values.ts";
import { wholeId } from "../whole_id.ts";

export const KEY = { key: { type: "string" } } as const;
export const KEY_TERM: Term = [
  "--key KEY",
  "sets the Idempotency-Key. Repeat a write whose outcome is unknown with the key that the error shows: it is " +
  "executed once.",
];

/** The partner's own texts that a request may give, each with its option. */
class Texts {
  readonly usage: string;
  readonly options: Readonly<Record<string, { readonly type: "string" }>>;
  readonly #names: readonly string[];

  constructor(members: Members) {
    this.#names = Object.keys(textsOf(members));
    const options = this.#names.map(optionOf);
    this.usage = options.map((option) => `[--${option} TEXT]`).join(" ");
    this.options = Object.fromEntries(options.map((option) => [option, { type: "string" }]));
  }

  read(values: Invocation["values"]): Readonly<Record<string, string | undefined>> {
    return Object.fromEntries(this.#names.map((name) => [name, optional(values, optionOf(name))]));
  }
}

const optionOf = (member: string) => member.replaceAll("_", "-");
const [QUOTE_TEXTS, ORDER_TEXTS, WITHDRAWAL_TEXTS] = [
  new Texts(QUOTE_MEMBERS),
  new Texts(ORDER_MEMBERS),
  new Texts(WITHDRAWAL_MEMBERS),
];

export const writeOptions = (key: string | undefined) => key === undefined ? {} : { idempotencyKey: key };

export const QUOTE: Command = {
  name: "quote",
  usage: `buy|sell --grams G | --amount SAR ${QUOTE_TEXTS.usage} [--key KEY]`,
  does: "requests a firm quote, which is valid for 60 seconds and one order",
  terms: { Options: [KEY_TERM] },
  options: { grams: { type: "string" }, amount: { type: "string" }, ...QUOTE_TEXTS.options, ...KEY },
  takes: ["buy|sell"],
  async run({ values, positionals: [side], client }) {
    if (side !== "buy" && side !== "sell") throw usage(`The side must be buy or sell; got ${side}.`);
    const [gold_grams, amount_sar] = [optional(values, "grams"), optional(values, "amount")];
    const [options, texts] = [writeOptions(optional(values, "key")), QUOTE_TEXTS.read(values)];
    if (gold_grams !== undefined && amount_sar === undefined) {
      return { reply: await (await client()).createQuote({ side, gold_grams, ...texts }, options) };
    }
    if (amount_sar !== undefined && gold_grams === undefined) {
      return { reply: await (await client()).createQuote({ side, amount_sar, ...texts }, options) };
    }
    throw usage("Give either --grams or --amount.");
  },
};

export const ORDER: Command = {
  name: "order",
  usage: `QUOTE_ID ${ORDER_TEXTS.usage} [--key KEY] [--record FILE]`,
  does: "executes a quote with a signed order",
  help: "The order inherits reference and account label from the quote, each unless it is given here.",
  terms: { Options: [KEY_TERM, RECORD_TERM] },
  options: { ...ORDER_TEXTS.options, ...KEY, ...RECORD },
  takes: ["QUOTE_ID"],
  async run(invocation) {
    const { values, positionals: [quote] } = invocation;
    const quote_id = await wholeId(quote!, "qt_", () => {
      throw usage(
        `${quote} is the end of an id. The service does not list quotes, so give the whole quote_id.`,
      );
    });
    const request = { quote_id, ...ORDER_TEXTS.read(values) };
    const options = writeOptions(optional(values, "key"));
    return { reply: await (await recordingClient(invocation)).placeOrder(request, options) };
  },
};

export const WITHDRAW: Command = {
  name: "withdraw",
  usage: `--amount SAR ${WITHDRAWAL_TEXTS.usage} [--key KEY] [--record FILE]`,
  does: "withdraws SAR to the registered IBAN with a signed request",
  terms: { Options: [KEY_TERM, RECORD_TERM] },
  options: { amount: { type: "string" }, ...WITHDRAWAL_TEXTS.options, ...KEY, ...RECORD },
  async run(invocation) {
    const { values } = invocation;
    const request = { amount_sar: required(values, "amount"), ...WITHDRAWAL_TEXTS.read(values) };
    const options = writeOptions(optional(values, "key"));
    return { reply: await (await recordingClient(invocation)).createWithdrawal(request, options) };
  },
};

export const CANCEL: Command = {
  name: "cancel",
  usage: "WITHDRAWAL_ID [--key KEY] [--record FILE]",
  does: "cancels a withdrawal that waits for its approval, with a signed request",
  help: "The end of the id is enough, as tables show it, for your newest 200 withdrawals: wd_…d1c7b9d6.",
  terms: { Options: [KEY_TERM, RECORD_TERM] },
  options: { ...KEY, ...RECORD },
  takes: ["WITHDRAWAL_ID"],
  async run(invocation) {
    const { values, positionals: [id] } = invocation;
    const options = writeOptions(optional(values, "key"));
    const client = await recordingClient(invocation);
    const listIds = async () =>
      (await client.listWithdrawals({ limit: 200 })).items.map(({ withdrawal_id }) => withdrawal_id);
    return { reply: await client.cancelWithdrawal(await wholeId(id!, "wd_", listIds), options) };
  },
};

export const BALANCES: Command = {
  name: "balances",
  usage: "[--at INSTANT]",
  does: "shows the balances, now or at a past instant such as 2026-01-31T12:30:00+03:00",
  options: { at: { type: "string" } },
  async run({ values, client }) {
    return { reply: await (await client()).getBalances({ at: optional(values, "at") }) };
  },
};

export const STATEMENT: Command = {
  name: "statement",
  usage: "--from DAY --to DAY [--csv]",
  does:
    "shows every posting from one day to another, both included, with the opening and closing balance; days are " +
    "in Asia/Riyadh",
  options: { from: { type: "string" }, to: { type: "string" }, csv: { type: "boolean" } },
  async run({ values, client }) {
    if (values.csv && values.json) throw usage("Give either --csv or --json.");
    const days = { from: required(values, "from"), to: required(values, "to") };
    const opened = await client();
    if (values.csv) return { text: (await opened.getStatementCsv(days)).replace(/\r?\n$/, "") };
    return { reply: await opened.getStatement(days) };
  },
};
