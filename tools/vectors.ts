// npm run vectors: regenerates vectors/*.json from vectors/make/*.ts.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeVectors, VECTORS_FOLDER } from "../vectors/vectors.ts";

for (const [file, text] of await makeVectors()) {
  writeFileSync(join(VECTORS_FOLDER, file), text);
  console.log(`vectors/${file}`);
}
