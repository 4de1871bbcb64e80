import { requirementsPart } from "./python_requirements.ts";

/** Kubernetes' own schemas, of every version, and who compares a manifest with them. */
export const kubernetesValidate = requirementsPart({
  name: "kubernetes_validate",
  version: "1.37.0",
  entries: ["kubernetes_validate", "yaml", "jsonschema"],
});
