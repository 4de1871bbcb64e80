import { requirementsTool } from "./python_requirements.ts";

/**
 * The packages that the Python client needs, the program that builds it, and a type checker. They are kept as
 * wheels, so that tests can install the client into an empty virtual environment without a network.
 */
export const pythonClient = requirementsTool({
  name: "python_client",
  version: "httpx 0.28.1, cryptography 50.0.2",
  entries: ["wheels"],
  asWheels: true,
});
