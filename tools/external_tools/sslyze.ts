import { requirementsTool } from "./python_requirements.ts";

const VERSION = "6.3.1";

/** Finds weak protocols, ciphers and curves of a TLS listener. Run `python3 -m sslyze` in its folder. */
export const sslyze = requirementsTool({
  name: "sslyze",
  version: VERSION,
  entries: ["sslyze", "nassl"],
  sources: [{
    name: "sslyze",
    version: VERSION,
    sha256: "2cd4062f82a3fa605dbd34e3b71f99961e4e7cf438879da1c52f619855ffbc1d",
  }],
});
