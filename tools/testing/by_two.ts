import postgres from "postgres";

type Operator = (words: string, ...more: string[]) => Promise<Record<string, unknown>>;

/**
 * Runs each command as `first`. If the command makes a proposal, `second` approves it. The answer is then the
 * content of the proposal and its secrets.
 */
export function byTwo(first: Operator, second: Operator): Operator {
  return async (words, ...more) => {
    const answer = await first(words, ...more);
    const { proposal_id: id, sha256 } = answer as { proposal_id?: string; sha256: string };
    if (id === undefined) return answer;
    await second("proposal approve", id, "--sha256", sha256, ...await expectsOf(second, id));
    const { canonical_text, has_secrets } = await first("proposal show", id);
    // The content is the last line of the text.
    const content = JSON.parse((canonical_text as string).split("\n").at(-2)!);
    return { ...content, ...(has_secrets ? await first("proposal show", id, "--secrets") : {}) };
  };
}

/** The options with which a person approves a proposal in spite of its warnings. */
export async function expectsOf(operator: Operator, id: string): Promise<string[]> {
  const { warnings = [] } = await operator("proposal show", id) as { warnings?: { type: string }[] };
  return warnings.flatMap(({ type }) => ["--expect", type]);
}

/** Proposes a change as the login of `url`, and does not sign it, as a command that was killed would. */
export async function proposeUnsigned(
  url: string,
): Promise<{ readonly id: string; readonly sha256: string }> {
  const sql = postgres(url, { max: 1 });
  try {
    const [row] = await sql`
      select id, sha256 from gold.propose('market.set', ${sql.json({ exposure: "10000000" })}, null, null)`;
    return { id: row!.id, sha256: row!.sha256 };
  } finally {
    await sql.end();
  }
}
