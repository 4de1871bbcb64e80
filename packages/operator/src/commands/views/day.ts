import { createHash } from "node:crypto";
import { isolate } from "@gold-partner/command-line";
import { canonicalJson } from "@gold-partner/canonical";
import type { Command, Invocation, Row } from "../../command.ts";
import { failureOf } from "../../failure.ts";
import { requireNew, withNewFile } from "../../new_file.ts";
import type { Query } from "../../query.ts";
import { required } from "../../values.ts";
import { changeOrPropose } from "../changes/proposing.ts";
import { readPrice, readStock, startOfDay, sumPosition, sumTrades } from "../../views/figures.ts";
import { readInbox } from "../../views/inbox.ts";

/** The namespace of the signature, for `ssh-keygen -Y verify`. */
const DAY_NAMESPACE = "gold-day";

const check: Command = {
  words: "day check",
  usage: "day check [--chains]",
  does:
    "lists what should be done by the end of the day, and what is still to do; with --chains, verifies the audit and reads the heads of all chains, too",
  options: { chains: { type: "boolean" } },
  run: async (invocation) => ({
    items: [
      ...await readPoints(invocation),
      ...(invocation.values.chains ? await readChains(invocation) : []),
    ],
  }),
};

const sign: Command = {
  words: "day sign",
  usage: "day sign --out FILE",
  does:
    "writes the day's figures, open points and chain heads to FILE, and signs it with your SSH key; writes the signature to FILE.sig; records the file's SHA-256 in the audit, under two people after another person approves it",
  options: { out: { type: "string" } },
  async run(invocation) {
    const { values, read, db, path, confirm, show, now } = invocation;
    const file = path(required(values, "out"));
    await requireNew(file);
    const since = await startOfDay(read);
    const checks = [...await readPoints(invocation), ...await readChains(invocation)];
    const [all, open] = [checks, checks.filter(({ state }) => state !== "done")].map((rows) =>
      new Set(rows.map(({ point }) => point)).size
    ) as [number, number];
    const [row] = await read`
      select session_user as login,
        to_char(${since.toISOString()}::text::timestamptz at time zone 'Asia/Riyadh', 'YYYY-MM-DD') as day`;
    const ofDay = await invocation.trades.read(read, since);
    const [quotes, stock] = await Promise.all([invocation.trades.countOpen(read), readStock(read)]);
    const day = {
      version: 1,
      deployment: (await (await db()).deployment()).id,
      begins_at: since.toISOString(),
      signed_at: now().toISOString(),
      login: row!.login as string,
      ...{ trades: sumTrades(ofDay, since), position: sumPosition(ofDay, quotes), stock, checks },
    };
    const text = `${canonicalJson(day)}\n`;
    if (!values.yes) show({ items: checks });
    await confirm(`Sign this day? ${open} of ${all} points are to do.`);
    const signature = await (await invocation.signer())(DAY_NAMESPACE, text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    const title = `Keep both files. \`ssh-keygen -Y verify -n ${DAY_NAMESPACE}\` checks the signature.`;
    const content = { day: row!.day as string, document: text };
    const made = await withNewFile(
      file,
      text,
      () =>
        withNewFile(
          `${file}.sig`,
          signature,
          () => changeOrPropose(invocation, { kind: "day.sign", content }, { object: { sha256 } }),
          { isOnlyCopy: true },
        ),
      { isOnlyCopy: true },
    );
    return {
      ...made,
      title: made.title ? `${made.title} ${title}` : title,
      object: { ...made.object, file, signature: `${file}.sig`, file_sha256: sha256, open_points: open },
      items: checks,
    };
  },
};

export const DAY_COMMANDS: readonly Command[] = [check, sign];

const done = (point: string, detail: string): Row => ({ point, state: "done", detail });
const toDo = (point: string, detail: string): Row => ({ point, state: "to do", detail });

/** Returns one row for each open item, or one row with the state `done` if there is none. */
const pointOf = (point: string, open: readonly string[]): Row[] =>
  open.length === 0 ? [done(point, "none")] : open.map((one) => toDo(point, one));

async function readPoints({ read }: Invocation): Promise<readonly Row[]> {
  const inbox = await readInbox(read);
  const waiting = (point: string, form: RegExp): Row[] =>
    pointOf(point, inbox.filter(({ waits }) => form.test(waits)).map(({ about }) => about));
  const stock = await readStock(read);
  return [
    ...waiting("proposals", /^proposal/),
    ...waiting("deposits to approve", /^deposit/),
    ...waiting("withdrawals to approve", /pending approval$/),
    ...waiting("withdrawals to submit", /, approved$/),
    ...waiting("withdrawals at the bank", /, submitted$/),
    ...waiting("webhooks disabled or with parked events", /^webhook/),
    await readOpenness(read),
    ...await readFailing(read),
    `${stock.free_grams}`.startsWith("-")
      ? toDo("gold", `${stock.free_grams} g are free`)
      : done("gold", `${stock.free_grams} g are free`),
  ];
}

async function readOpenness(query: Query): Promise<Row> {
  const { market } = await readPrice(query);
  const [hours] = await query`
    select p.always_open or exists (select from gold.market_hours) as some from gold.current_price p`;
  const isCalm = market === "open" || market === "closed" && hours?.some;
  return (isCalm ? done : toDo)(
    "market",
    hours?.some === false ? "has no hours, so it stays closed" : `${market}`,
  );
}

async function readFailing(query: Query): Promise<Row[]> {
  const rows = await query`
    select distinct p.id, p.name from gold.endpoint_overview n join gold.partner_overview p using (public_id)
    where n.failures > 0 order by p.id`;
  return pointOf("webhooks that fail", rows.map(({ name }) => isolate(name)));
}

/** The state of the audit, and the heads of all chains. With many rows, this takes a while. */
async function readChains(invocation: Invocation): Promise<readonly Row[]> {
  /** What another command finds, if the person has the role for it. */
  const found = async (
    point: string,
    words: string,
    describe: (result: Row, items: readonly Row[]) => Row,
  ) => {
    try {
      const { object = {}, items = [] } = await invocation.again(words.split(" "), {
        ...invocation,
        print: () => {},
      });
      return describe(object, items);
    } catch (error) {
      return { point, state: "not checked", detail: failureOf(error).message };
    }
  };
  return [
    await found(
      "audit",
      "audit verify",
      ({ clean, head }) =>
        clean ? done("audit", `head ${head}`) : toDo("audit", "gold audit verify finds a defect"),
    ),
    await found("heads", "ledger heads", (_, items) => {
      const text = items.map(({ client_id, sequence, head }) => `${client_id} ${sequence} ${head}\n`).join(
        "",
      );
      return done(
        "heads",
        `SHA-256 of the ${items.length} heads ${createHash("sha256").update(text).digest("hex")}`,
      );
    }),
  ];
}
