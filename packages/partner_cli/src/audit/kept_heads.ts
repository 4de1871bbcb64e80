import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { AccountEvent } from "@gold-partner/client";
import type { Finding } from "../command.ts";
import { usage } from "../failure.ts";
import type { Report, Rule } from "./rules.ts";

/** The `chain_head` of one event, in the format that `gold audit full --heads` reads, too. */
interface KeptHead {
  readonly client_id: string;
  readonly sequence: string;
  readonly head: string;
}

/** Limits the file to 150 KB. These are the heads of hourly audits of six weeks. */
const MAX_HEADS = 1000;

/**
 * The newest head of each earlier audit, in a file of the partner. If the chain still has the newest of them,
 * the verified links show that it has all earlier events, too. The older ones show how much of a chain is
 * left.
 */
export class KeptHeads {
  readonly #file: string;
  readonly #clientId: string;
  /** Oldest first. */
  readonly #kept: readonly KeptHead[];
  /** The heads of the chain at the sequence numbers of `#kept`. */
  readonly #found = new Map<string, string>();
  #last: KeptHead | undefined;

  private constructor(file: string, clientId: string, kept: readonly KeptHead[]) {
    this.#file = file;
    this.#clientId = clientId;
    this.#kept = kept;
    for (const { sequence } of kept) this.#found.set(sequence, "");
  }

  /** Reads the file, which need not exist. `from` is the first event that the audit reads. */
  static async read(file: string, clientId: string, from: number): Promise<KeptHeads> {
    const kept = parse(await readIfPresent(file));
    const other = kept.find(({ client_id }) => client_id !== clientId);
    if (other) {
      throw usage(
        `--heads: the file has heads of ${other.client_id}, but the credentials are of ${clientId}.`,
      );
    }
    const newest = kept.at(-1);
    if (newest && from > Number(newest.sequence) + 1) {
      throw usage(
        `--from must be at most ${
          Number(newest.sequence) + 1
        }, the event after the newest head of --heads; got ${from}.`,
      );
    }
    return new KeptHeads(file, clientId, kept);
  }

  add({ sequence, data: { chain_head: head } }: AccountEvent): void {
    this.#last = { client_id: this.#clientId, sequence: `${sequence}`, head };
    if (this.#found.has(this.#last.sequence)) this.#found.set(this.#last.sequence, head);
  }

  /** Compares the newest kept head with the chain. */
  *check(report: Report): Generator<Finding> {
    const newest = this.#kept.at(-1);
    if (!newest) return;
    const { sequence, head } = newest;
    yield* report.compare(
      "kept_head",
      sequence,
      head,
      this.#has(newest) ? head : this.#foundInstead(sequence),
    );
  }

  get skipped(): Partial<Record<Rule, string>> {
    if (this.#kept.length > 0) return {};
    return { kept_head: "The file of --heads has no head yet. An audit without a violation adds one." };
  }

  /** Adds the newest head to the file, unless the file has it. */
  async keep(): Promise<void> {
    if (!this.#last || this.#has(this.#last)) return;
    const items = [...this.#kept, this.#last].slice(-MAX_HEADS);
    await replaceFile(this.#file, `${JSON.stringify({ items }, null, 2)}\n`);
  }

  #has = ({ sequence, head }: KeptHead) => this.#found.get(sequence) === head;

  #foundInstead(sequence: string): string {
    const found = this.#found.get(sequence) ||
      `nothing, because your chain ends ${this.#last ? `at event ${this.#last.sequence}` : "before"}`;
    const common = this.#kept.findLast(this.#has);
    return `${found}. ${
      common
        ? `The newest event that your chain and the file of --heads have in common is ${common.sequence}`
        : "Your chain and the file of --heads have no event in common"
    }`;
  }
}

/** Returns an empty text if the file does not exist. */
async function readIfPresent(file: string): Promise<string> {
  try {
    // Fail now, not after an audit of an hour.
    await access(dirname(file), constants.W_OK);
    return await readFile(file, "utf8");
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && syscall === "open") return "";
    throw usage(`--heads names a file that cannot be read and replaced: ${message}.`);
  }
}

function parse(text: string): readonly KeptHead[] {
  if (text === "") return [];
  try {
    const { items } = JSON.parse(text) as { items: readonly KeptHead[] };
    if (items.every(isHead)) return items;
  } catch {
    // Refused below.
  }
  throw usage(
    "--heads must name a file that `gold-partner audit --heads` wrote; this file has another format.",
  );
}

const isHead = ({ client_id, sequence, head }: KeptHead) =>
  typeof client_id === "string" && /^[1-9]\d{0,14}$/.test(sequence) && /^[0-9a-f]{64}$/.test(head);

/** A crash leaves the old file or the new one. */
async function replaceFile(file: string, text: string): Promise<void> {
  // Processes in different containers can have the same process id.
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, "w", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw usage(`--heads names a file that cannot be written: ${(error as Error).message}.`);
  }
}
