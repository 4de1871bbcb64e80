import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Part, stampedPart } from "./part.ts";
import { installRequirements } from "./python_package.ts";

const PINS = fileURLToPath(new URL("./schemathesis.txt", import.meta.url));
const NAME = "schemathesis";

/** Who fuzzes a service by its OpenAPI description, a validator of such descriptions, and what signs for them. */
export const schemathesis: Part = stampedPart({
  name: NAME,
  version: `4.32.5, pins ${createHash("sha256").update(readFileSync(PINS)).digest("hex").slice(0, 12)}`,
  install(folder) {
    const target = join(folder, NAME);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    installRequirements(target, PINS);
  },
}, ["schemathesis", "openapi_spec_validator", "cryptography"].map((entry) => `${NAME}/${entry}`));
