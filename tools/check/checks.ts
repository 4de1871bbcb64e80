import { findVersionViolations } from "./changelog.ts";
import { findDeadExports } from "./dead_exports.ts";
import { findImportCycles } from "./import_cycles.ts";
import { findImportsAgainstTheFlow } from "./import_direction.ts";
import { findWhatK6CannotLoad } from "./k6_closure.ts";
import { findLockfileViolations } from "./lockfile.ts";
import { findManifestViolations } from "./manifests.ts";
import type { Violation } from "./violation.ts";
import { findFloatsOnQuantities } from "./quantity_floats.ts";
import { findStyleViolations } from "./style.ts";
import type { Tree } from "./tree.ts";

export const CHECKS: Readonly<Record<string, (tree: Tree) => Violation[]>> = {
  "imports flow one way": findImportsAgainstTheFlow,
  "no import cycles": findImportCycles,
  "manifests agree": findManifestViolations,
  "versions agree with the changelog": findVersionViolations,
  "the lockfile agrees": findLockfileViolations,
  "no dead exports": findDeadExports,
  "k6 can load its closure": findWhatK6CannotLoad,
  "no float on a quantity": findFloatsOnQuantities,
  "names and style": findStyleViolations,
};
