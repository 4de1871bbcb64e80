import { requirementsTool } from "./python_requirements.ts";

/** A validator of Kubernetes manifests. It contains the schemas of many Kubernetes versions. */
export const kubernetesValidate = requirementsTool({
  name: "kubernetes_validate",
  version: "1.37.0",
  entries: ["kubernetes_validate", "yaml", "jsonschema"],
});
