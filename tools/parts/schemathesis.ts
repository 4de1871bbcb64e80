import { requirementsPart } from "./python_requirements.ts";

/** Who fuzzes a service by its OpenAPI description, a validator of such descriptions, and what signs for them. */
export const schemathesis = requirementsPart({
  name: "schemathesis",
  version: "4.32.5",
  entries: ["schemathesis", "openapi_spec_validator", "cryptography"],
});
