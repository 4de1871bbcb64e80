import type { z } from "zod";
import { FIELD_ERRORS_MAX } from "../limit.ts";
import type { FieldError } from "../problem.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** A name longer than this is not repeated in the reply. */
const NAME_MAX_CHARACTERS = 64;

/** What a body's schema found, as the `errors` of a problem: one entry for each offending place. */
export function bodyErrors(issues: readonly Issue[]): FieldError[] {
  return places(issues).map(({ path, detail }) => ({ pointer: pointerOf(path), detail }));
}

/** The same for query or form parameters, which have names and no depth. */
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
  // A cut inside a surrogate pair takes its first half, too.
  return path.map(String).join(".").slice(0, NAME_MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, "");
}

/** RFC 6901, section 6: the pointer as a URI fragment. A name too long to repeat leaves its parent's pointer. */
function pointerOf(path: Path): string {
  const names = path.map(String);
  if (names.some((name) => name.length > NAME_MAX_CHARACTERS)) return pointerOf(path.slice(0, -1));
  const tokens = names.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1")));
  return ["#", ...tokens].join("/");
}
