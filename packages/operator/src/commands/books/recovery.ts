import type { Command, Invocation, Result, Row } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { required } from "../../values.ts";
import { readHeads } from "./kept_heads.ts";
import { changeOrPropose } from "../changes/proposing.ts";

const HEADS = { heads: { type: "string" } } as const;

interface Losses {
  readonly epoch: number;
  /** When the database had the heads of the file; null in a file of `gold ledger heads`. */
  readonly keptAt: string | null;
  readonly rows: readonly Row[];
  /** What two people accept: the lost records of each chain, and the kept head of the last one. */
  readonly losses: readonly Row[];
}

const show: Command = {
  words: "recovery show",
  usage: "recovery show --heads FILE",
  does:
    "compares the database with the file of heads that the service keeps (HEADS_FILE), and lists the records that the database lacks; exits with 4 if there are any",
  options: HEADS,
  async run(invocation) {
    const { epoch, keptAt, rows } = await findLosses(invocation);
    return {
      title: rows.length === 0 ? "The database has every kept record." : "The database lacks these records.",
      object: { epoch, kept_at: keptAt, losses: rows.length },
      ...(rows.length === 0 ? {} : { items: rows }),
      defects: rows.length > 0,
    };
  },
};

const accept: Command = {
  words: "recovery accept",
  usage: "recovery accept --heads FILE",
  does:
    "accepts that the records that `recovery show` lists are lost, so that the service writes again; needs two people",
  options: HEADS,
  run: acceptLosses,
};

export const RECOVERY_COMMANDS: readonly Command[] = [show, accept];

async function acceptLosses(invocation: Invocation): Promise<Result> {
  const { epoch, losses, rows } = await findLosses(invocation);
  if (losses.length === 0) {
    throw new Failure(
      EXIT.refused,
      "refused",
      "The database has every kept record, so there is no loss to accept.",
    );
  }
  if (!invocation.values.yes) invocation.show({ items: rows });
  await invocation.confirm(
    `Accept that ${losses.length} ranges of records are lost? \`gold recovery show\` lists them.`,
  );
  return await changeOrPropose(invocation, { kind: "recovery.accept", content: { epoch, losses } }, {
    object: { epoch, losses: losses.length },
  });
}

async function findLosses({ values, path, query, db }: Invocation): Promise<Losses> {
  const { items, keptAt } = await readHeads(path(required(values, "heads")));
  const { sql } = await db();
  const [current] = await query`select gold.note_epoch() as epoch`;
  const rows = await query`
    select client_id, first::text, last::text, ends_at from gold.find_losses(${
    sql.json(items as never)
  }::jsonb)`;
  return {
    epoch: current!.epoch,
    keptAt,
    rows: rows.map(({ client_id, first, last, ends_at }) => ({
      client_id,
      first,
      last,
      books_end_at: instantOf(ends_at),
    })),
    losses: rows.map(({ client_id, first, last }) => ({
      client_id,
      first,
      last,
      head: items.find((item) => item.client_id === client_id)!.head,
    })),
  };
}
