import { isolate } from "@gold-partner/command-line";
import { formatGrams, parseGrams, reservesListId } from "@gold-partner/protocol";
import type { Command } from "../../command.ts";
import { usage } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { line, parsedRequired, required } from "../../values.ts";
import { changeOrPropose } from "../changes/proposing.ts";

const add: Command = {
  words: "vault add",
  usage: "vault add --serial S [--refiner NAME] --gross GRAMS --fineness 999.9 --vault NAME",
  does: "adds a bar to the vault; its fine grams can then be sold to partners",
  options: {
    serial: { type: "string" },
    refiner: { type: "string", default: "unknown" },
    gross: { type: "string" },
    fineness: { type: "string" },
    vault: { type: "string" },
  },
  async run(invocation) {
    const { values } = invocation;
    const serial = line(values, "serial");
    const fineness = required(values, "fineness");
    if (!/^99[5-9](\.[0-9])?$/.test(fineness)) {
      throw usage(`--fineness must be in parts per thousand, from 995 to 999.9; got ${fineness}.`);
    }
    const tenths = fineness.includes(".") ? fineness.replace(".", "") : `${fineness}0`;
    const gross = parsedRequired(values, "gross", parseGrams);
    const [refiner, vault] = [line(values, "refiner"), line(values, "vault")];
    return await changeOrPropose(invocation, {
      kind: "vault.add",
      content: { serial, refiner, vault, gross: `${gross}`, fineness: Number(tenths) },
    }, ({ fine }) => ({
      object: { serial, gross_grams: formatGrams(gross), fineness, fine_grams: formatGrams(BigInt(fine)) },
    }));
  },
};

const list: Command = {
  words: "vault list",
  usage: "vault list",
  does: "lists every bar, including removed bars",
  async run({ query }) {
    const rows =
      await query`select *, gross::text, fine::text from gold.bar_overview order by added_at, serial`;
    return {
      items: rows.map((row) => ({
        serial: row.serial,
        refiner: row.refiner,
        vault: row.vault_name,
        gross_grams: formatGrams(BigInt(row.gross)),
        fine_grams: formatGrams(BigInt(row.fine)),
        added_at: row.added_at.toISOString(),
        removed_at: instantOf(row.removed_at),
        added_list: listOf(row.added_list),
        removed_list: listOf(row.removed_list),
      })),
    };
  },
};

/**
 * The list of bars that began when the bar was added or removed. A bar removed before 0.4.0 is in no list.
 */
const listOf = (list: number | null) => list === null ? null : reservesListId(`${list}`);

const remove: Command = {
  words: "vault remove",
  usage: "vault remove SERIAL",
  does: "removes a bar from the vault; refused if its gold is owed to partners",
  takes: ["SERIAL"],
  async run(invocation) {
    const { query, confirm, positionals: [serial] } = invocation;
    const [bar] = await query`
      select refiner, vault_name, fine::text from gold.bar_overview where serial = ${serial!} and removed_at is null`;
    // The database refuses to remove a bar that is not in the vault.
    if (bar) {
      await confirm(
        `Remove the bar ${serial} of ${isolate(bar.refiner)}, ${
          formatGrams(BigInt(bar.fine))
        } g fine, from the vault ${isolate(bar.vault_name)}? No bar can have this serial again.`,
      );
    }
    return await changeOrPropose(invocation, { kind: "vault.remove", content: { serial } }, ({ fine }) => ({
      object: { serial: serial!, fine_grams: formatGrams(BigInt(fine)), status: "removed" },
    }));
  },
};

export const VAULT_COMMANDS: readonly Command[] = [add, list, remove];
