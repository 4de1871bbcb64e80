import {
  type ApprovalDocument,
  ApprovalVerifier,
  endTimes,
  type OperatorKeys,
  proposalSha256,
  readLists,
} from "@gold-partner/approvals";
import type { Command } from "../../command.ts";
import { usage } from "../../failure.ts";
import { OPERATOR_KEYS_OPTION, readOperatorKeys } from "../../operator_keys_file.ts";
import { changeOrPropose } from "./proposing.ts";

/** An approval of version 1: the id of its proposal, and the hash of its text. */
type Pair = readonly [id: string, sha256: string];

export const adopt: Command = {
  words: "proposal adopt",
  usage: "proposal adopt [--operator-keys FILE]",
  does:
    "lists the approvals of 0.5.0 and earlier, whose texts name no deployment, and proposes to sign for all of them; needed once after the upgrade, if operators have keys",
  options: OPERATOR_KEYS_OPTION,
  async run(invocation) {
    const trusted = await readOperatorKeys(invocation);
    if (!trusted) {
      throw usage(
        "Give the file of the operators' keys: --operator-keys FILE, or its absolute path in OPERATOR_KEYS.",
      );
    }
    const { sql } = await invocation.db();
    const [read] = await sql`select gold.read_first_approvals() as approvals`;
    const unlisted = await findUnlisted(read!.approvals as ApprovalDocument, trusted);
    const pairs = unlisted.map(({ pair }) => pair);
    if (pairs.length === 0) {
      return {
        title:
          "Nothing to sign: no approval of 0.5.0 or earlier is missing from a list that two people signed.",
      };
    }
    for (const { line } of unlisted) invocation.progress(line);
    await invocation.confirm(
      `Sign for these ${pairs.length} approval(s)? Compare each with your own records first.`,
    );
    return await changeOrPropose(invocation, { kind: "approval.adopt", content: { approvals: pairs } }, {
      object: { approvals: pairs.length },
    });
  },
};

/**
 * Returns the approvals of version 1 whose signatures are valid, and that no list has yet. It leaves out the
 * others, which gold audit full reports.
 */
async function findUnlisted({ ends, approvals }: ApprovalDocument, trusted: OperatorKeys) {
  const times = endTimes(ends);
  const listed = await readLists(trusted, times, approvals);
  const old = approvals.filter(({ deployment }) => deployment === null);
  const pairs = await Promise.all(old.map(async (one): Promise<Pair> => [one.id, await proposalSha256(one)]));
  const verifier = new ApprovalVerifier(trusted, times, new Map(pairs));
  const unlisted: { readonly line: string; readonly pair: Pair }[] = [];
  for (const [index, one] of old.entries()) {
    const pair = pairs[index]!;
    const fault = await verifier.verify(one);
    if (fault !== undefined || listed.get(one.id) === pair[1]) continue;
    const line = `${one.approvedAt} ${one.kind} ${pair.join(" ")} ${one.proposer} ${one.approver}`;
    unlisted.push({ line, pair });
  }
  return unlisted;
}
