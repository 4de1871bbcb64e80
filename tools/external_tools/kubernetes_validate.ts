import { requirementsTool } from "./python_requirements.ts";

/** Kubernetes' own schemas, of every version, and a validator that compares manifests with them. */
export const kubernetesValidate = requirementsTool({
  name: "kubernetes_validate",
  version: "1.37.0",
  entries: ["kubernetes_validate", "yaml", "jsonschema"],
});
