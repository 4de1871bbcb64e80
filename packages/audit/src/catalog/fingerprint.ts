import { readFileSync } from "node:fs";
import type { Findings } from "../findings.ts";
import type { Connection } from "../snapshot.ts";
import { sha256Hex } from "../values.ts";
import { readObjects } from "./objects.ts";

/**
 * The hashes of a release's objects. An object has several hashes if the versions of Postgres spell it in
 * several ways; each of them is accepted on every version.
 */
interface Fingerprint {
  readonly both: Hashes;
  readonly sandbox: Hashes;
  readonly production: Hashes;
}
type Hashes = Readonly<Record<string, readonly string[]>>;
type Environment = "sandbox" | "production";

const FILE = new URL("../../catalog.json", import.meta.url);
const HASH_DIGITS = 32;

const hashOf = (text: string) => sha256Hex(text).slice(0, HASH_DIGITS);

/** Makes the fingerprint from freshly migrated databases, on each supported version of Postgres. */
export function makeFingerprint(
  databases: readonly { environment: Environment; objects: Map<string, string> }[],
): Fingerprint {
  const spellings = (environment: Environment) => {
    const hashes: Record<string, string[]> = {};
    for (const { objects } of databases.filter((each) => each.environment === environment)) {
      for (const [name, text] of objects) {
        hashes[name] = [...new Set([...hashes[name] ?? [], hashOf(text)])].sort();
      }
    }
    return hashes;
  };
  const [sandbox, production] = [spellings("sandbox"), spellings("production")];
  const pick = (hashes: Hashes, keep: (name: string) => boolean) =>
    Object.fromEntries(
      Object.entries(hashes).filter(([name]) => keep(name)).sort(([left], [right]) => left < right ? -1 : 1),
    );
  const isSame = (name: string) => `${sandbox[name]}` === `${production[name]}`;
  return {
    both: pick(sandbox, isSame),
    sandbox: pick(sandbox, (name) => !isSame(name)),
    production: pick(production, (name) => !isSame(name)),
  };
}

/** Compares every object of the schema with this release's fingerprint. */
export async function compareCatalog(
  sql: Connection,
  findings: Findings,
  environment: Environment,
): Promise<void> {
  const fingerprint = JSON.parse(readFileSync(FILE, "utf8")) as Fingerprint;
  const expected = new Map(Object.entries({ ...fingerprint.both, ...fingerprint[environment] }));
  for (const [name, text] of await readObjects(sql)) {
    const hashes = expected.get(name);
    expected.delete(name);
    if (!hashes) findings.add("catalog_is_release", name, "nothing", text);
    else if (!hashes.includes(hashOf(text))) {
      findings.add("catalog_is_release", name, `the object with the hash ${hashes.join(" or ")}`, text);
    }
  }
  for (const name of expected.keys()) findings.add("catalog_is_release", name, "an object", "nothing");
}
