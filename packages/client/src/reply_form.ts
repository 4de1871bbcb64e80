import { ENDPOINTS, type OperationId } from "@gold-partner/protocol";
import type { TransportReply } from "./transport.ts";
import { readValue } from "./wire_value.ts";

/** An issue that a schema reports: at a path, or with a list of issues for each alternative of a union. */
interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly errors?: readonly (readonly SchemaIssue[])[];
}

/**
 * Returns the operation's reply. Throws when a required top-level member is missing, or when `items` is not a
 * list. Other values are not checked, because a later version of the service may add members and values.
 */
export function readJsonReply({ body }: TransportReply, operation: OperationId): unknown {
  const value = readValue(body);
  for (const name of requiredOf(operation)) {
    const member = Object(value)[name] as unknown;
    if (member === undefined || (name === "items" && !Array.isArray(member))) {
      throw new Error(`The reply has no valid member ${String(name)}.`);
    }
  }
  return value;
}

const required = new Map<OperationId, readonly PropertyKey[]>();

/** The members that the operation's schema finds missing in an empty reply. Computed once per operation. */
function requiredOf(operation: OperationId): readonly PropertyKey[] {
  const known = required.get(operation);
  if (known) return known;
  const { error } = ENDPOINTS[operation].reply.schema.safeParse({});
  const names = error?.issues.flatMap(namesOf) ?? [];
  required.set(operation, names);
  return names;
}

/** The names of the top-level members in an issue, including those of a union's alternatives. */
const namesOf = ({ path, errors }: SchemaIssue): PropertyKey[] =>
  errors ? errors.flat().flatMap(namesOf) : path.slice(0, 1);

/** Returns the CSV text, or throws when the reply has another media type. */
export function readCsvReply({ headers, body }: TransportReply): string {
  const type = headers.get("Content-Type") ?? "nothing";
  if (!/^text\/csv\b/i.test(type)) throw new Error(`Content-Type must be text/csv; got ${type}.`);
  return new TextDecoder().decode(body);
}
