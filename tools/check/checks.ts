import { findVersionOffences } from "./changelog.ts";
import { findDeadExports } from "./dead_exports.ts";
import { findImportCycles } from "./import_cycles.ts";
import { findImportsAgainstTheFlow } from "./import_direction.ts";
import { findWhatK6CannotLoad } from "./k6_closure.ts";
import { findLockfileOffences } from "./lockfile.ts";
import { findManifestOffences } from "./manifests.ts";
import type { Offence } from "./offence.ts";
import { findFloatsOnQuantities } from "./quantity_floats.ts";
import { findStyleOffences } from "./style.ts";
import type { Tree } from "./tree.ts";

export const CHECKS: Readonly<Record<string, (tree: Tree) => Offence[]>> = {
  "imports flow one way": findImportsAgainstTheFlow,
  "no import cycles": findImportCycles,
  "manifests agree": findManifestOffences,
  "versions agree with the changelog": findVersionOffences,
  "the lockfile agrees": findLockfileOffences,
  "no dead exports": findDeadExports,
  "k6 can load its closure": findWhatK6CannotLoad,
  "no float on a quantity": findFloatsOnQuantities,
  "names and style": findStyleOffences,
};
