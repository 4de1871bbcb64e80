import { ENDPOINTS, type OperationId } from "@gold-partner/protocol";
import type { TransportReply } from "./transport.ts";
import { readValue } from "./wire_value.ts";

/** What a schema misses: at a place, or under each of its alternatives. */
interface Lack {
  readonly path: readonly PropertyKey[];
  readonly errors?: readonly (readonly Lack[])[];
}

/** The operation's reply, or throws. Values are not judged: members may be added, and what they hold may grow. */
export function readJsonReply({ body }: TransportReply, operation: OperationId): unknown {
  const value = readValue(body);
  for (const name of requiredOf(operation)) {
    const member = Object(value)[name] as unknown;
    if (member === undefined || (name === "items" && !Array.isArray(member))) {
      throw new Error(`It has no ${String(name)}.`);
    }
  }
  return value;
}

const required = new Map<OperationId, readonly PropertyKey[]>();

/** What the operation's own schema misses in an empty reply; asked once. */
function requiredOf(operation: OperationId): readonly PropertyKey[] {
  const known = required.get(operation);
  if (known) return known;
  const { error } = ENDPOINTS[operation].reply.schema.safeParse({});
  const names = error?.issues.flatMap(namesOf) ?? [];
  required.set(operation, names);
  return names;
}

/** Of the members that are missing where all are. */
const namesOf = ({ path, errors }: Lack): PropertyKey[] =>
  errors ? errors.flat().flatMap(namesOf) : path.slice(0, 1);

/** Text of a table, or throws. */
export function readCsvReply({ headers, body }: TransportReply): string {
  const type = headers.get("Content-Type") ?? "nothing";
  if (!/^text\/csv\b/i.test(type)) throw new Error(`It is ${type}, and no text/csv.`);
  return new TextDecoder().decode(body);
}
