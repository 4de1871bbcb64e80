import { requirementsTool } from "./python_requirements.ts";

/**
 * Schemathesis fuzzes a service by its OpenAPI description, openapi_spec_validator validates such a
 * description, and cryptography signs the requests.
 */
export const schemathesis = requirementsTool({
  name: "schemathesis",
  version: "4.32.5",
  entries: ["schemathesis", "openapi_spec_validator", "cryptography"],
});
