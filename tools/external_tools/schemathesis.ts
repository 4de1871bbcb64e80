import { requirementsPart } from "./python_requirements.ts";

/**
 * Schemathesis, which fuzzes a service by its OpenAPI description, a validator of such descriptions, and the
 * package that signs their requests.
 */
export const schemathesis = requirementsPart({
  name: "schemathesis",
  version: "4.32.5",
  entries: ["schemathesis", "openapi_spec_validator", "cryptography"],
});
