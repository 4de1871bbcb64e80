import type { z } from "zod";
import { FIELD_ERRORS_MAX } from "../limit.ts";
import type { FieldError } from "../problem.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * The longest name in a reply, in UTF-16 code units. A longer member name is left out, and a longer parameter
 * name is cut.
 */
const NAME_MAX_CHARACTERS = 64;

/**
 * Converts the issues that a body's schema reports to the `errors` of a problem. There is one entry for each
 * wrong place, and at most 20 entries.
 *
 * @param issues The issues of the failed parse.
 * @example
 * ```ts
 * import { readJson } from "@gold-partner/canonical";
 * import { bodyErrors, hostBytes, orderRequest } from "@gold-partner/protocol";
 *
 * const { error } = orderRequest.safeParse(readJson(hostBytes.utf8('{"quote_id":1}')));
 * const [first] = bodyErrors(error!.issues);
 * console.log("pointer" in first! && first.pointer); // #/quote_id
 * ```
 */
export function bodyErrors(issues: readonly Issue[]): FieldError[] {
  return places(issues).map(({ path, detail }) => ({ pointer: pointerOf(path), detail }));
}

/**
 * Converts the issues of query or form parameters to the `errors` of a problem. Each entry has the
 * parameter's name.
 *
 * @param issues The issues of the failed parse.
 * @example
 * ```ts
 * import { balancesQuery, parameterErrors } from "@gold-partner/protocol";
 *
 * const { error } = balancesQuery.safeParse({ at: "yesterday" });
 * const [first] = parameterErrors(error!.issues);
 * console.log("name" in first! && first.name); // at
 * ```
 */
export function parameterErrors(issues: readonly Issue[]): FieldError[] {
  return places(issues).map(({ path, detail }) => ({ name: nameOf(path), detail }));
}

function places(issues: readonly Issue[]): { path: Path; detail: string }[] {
  return issues.flatMap((issue) => {
    const paths = issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => [...issue.path, key])
      : [issue.path];
    return paths.map((path) => ({ path, detail: issue.message }));
  }).slice(0, FIELD_ERRORS_MAX);
}

function nameOf(path: Path): string {
  // Remove the first half of a surrogate pair, too, if the cut falls inside the pair.
  return path.map(String).join(".").slice(0, NAME_MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, "");
}

/**
 * The pointer as a URI fragment (RFC 6901, section 6). For a name that is too long, it is the parent's
 * pointer.
 */
function pointerOf(path: Path): string {
  const names = path.map(String);
  if (names.some((name) => name.length > NAME_MAX_CHARACTERS)) return pointerOf(path.slice(0, -1));
  const tokens = names.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1")));
  return ["#", ...tokens].join("/");
}
