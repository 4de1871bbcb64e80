import {
  type ApprovalDocument,
  type OperatorKeys,
  type RegistryRow,
  type RowDocument,
  SignedRegistry,
  storedRows,
} from "@gold-partner/approvals";
import type { Command, Invocation } from "../../command.ts";
import { usage } from "../../failure.ts";
import { OPERATOR_KEYS_OPTION, readOperatorKeys } from "../../operator_keys_file.ts";
import { changeOrPropose } from "./proposing.ts";

const adopt: Command = {
  words: "registry adopt",
  usage: "registry adopt --operator-keys FILE",
  does:
    "lists the certificates, keys, secrets, addresses, names, IBANs, authorities and the payout account for which two people have not signed, such as those from before the first operator key, and proposes to sign for all of them",
  options: OPERATOR_KEYS_OPTION,
  async run(invocation) {
    const keys = await readOperatorKeys(invocation);
    if (!keys) {
      throw usage(
        "Give the file with the operators' first keys: --operator-keys FILE, or its absolute path in OPERATOR_KEYS.",
      );
    }
    const rows = await findUnsignedRows(invocation, keys);
    if (rows.length === 0) return { title: "Two people have signed for every row." };
    for (const [name, value] of rows) invocation.progress(`${name} ${value}`);
    await invocation.confirm(
      `Sign for these ${rows.length} row(s)? Compare each with your own records first.`,
    );
    return await changeOrPropose(invocation, { kind: "registry.adopt", content: { rows } }, {
      object: { rows: rows.length },
    });
  },
};

export const REGISTRY_COMMANDS: readonly Command[] = [adopt];

/** The stored rows that no approval with two valid signatures names with the same content. */
async function findUnsignedRows(
  { query }: Pick<Invocation, "query">,
  keys: OperatorKeys,
): Promise<readonly RegistryRow[]> {
  const [read] = await query`select gold.read_rows() as rows, gold.read_approvals() as approvals`;
  const signed = await new SignedRegistry(keys).read(read!.approvals as ApprovalDocument);
  return storedRows(read!.rows as RowDocument).filter((row) => !signed.has(row));
}
