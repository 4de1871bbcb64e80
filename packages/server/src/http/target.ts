import { ENDPOINTS } from "@gold-partner/protocol";
import { Refusal } from "./refusal.ts";

/**
 * The only paths that may end with a slash: the base URL, and the reference's path with a slash added. Both
 * redirect a browser to the reference. They are not operations, so they are not in the API description.
 */
export const PATHS_TO_REFERENCE: readonly string[] = ["/", `${ENDPOINTS.getReference.path}/`];

// Paths of this API need only these characters, so nothing is decoded or normalised. All other paths are
// refused, because two parsers could read them differently. The query may hold every character that a URL
// allows.
const PLAIN_TARGET = /^\/[A-Za-z0-9._~/-]*(?:\?[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*)?$/;
const DOTS_OR_DOUBLE_SLASH = /\/\.{0,2}(?:\/|$)/;

const TARGET_MAX_CHARACTERS = 8192;

/** Returns the request target as it was sent. Throws unless it is in origin form with a plain path. */
export function checkTarget(target: string): string {
  if (target.length > TARGET_MAX_CHARACTERS) {
    throw new Refusal(
      "uri_too_long",
      `The request target is longer than ${TARGET_MAX_CHARACTERS} characters.`,
    );
  }
  const path = target.split("?", 1)[0]!;
  if (!target.startsWith("/")) {
    throw new Refusal(
      "path_not_allowed",
      "The request target is not in origin form: send the path, not the whole URL.",
    );
  }
  if (!PLAIN_TARGET.test(target) || (!PATHS_TO_REFERENCE.includes(path) && DOTS_OR_DOUBLE_SLASH.test(path))) {
    throw new Refusal(
      "path_not_allowed",
      "The path is not spelt as documented. Escapes, empty and dot segments are rejected, not normalised.",
    );
  }
  return target;
}
