import { PROBLEM_REGISTRY } from "@gold-partner/protocol";

/** Returns the text of the Python client's module with the facts that decide about the outcome of a write. */
export function writePythonProblems(): string {
  const table = (member: "binds_key" | "spends_nonce") =>
    Object.entries(PROBLEM_REGISTRY).map(([code, entry]) => `    "${code}": ${literal(entry[member])},\n`)
      .join("");
  return `"""Written by \`npm run docs\` from the registry that the service uses: see docs/errors.md."""

#: Whether every later request with the Idempotency-Key gets this refusal again.
BINDS_KEY: dict[str, bool | str] = {
${table("binds_key")}}

#: Whether a signed request's nonce is spent.
SPENDS_NONCE: dict[str, bool | str] = {
${table("spends_nonce")}}
`;
}

const literal = (value: boolean | string): string =>
  typeof value === "string" ? `"${value}"` : value ? "True" : "False";
