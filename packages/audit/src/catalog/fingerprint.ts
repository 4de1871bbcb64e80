import { readFileSync } from "node:fs";
import type { Findings } from "../findings.ts";
import type { Connection } from "../snapshot.ts";
import { sha256Hex } from "../values.ts";
import { findHiddenCalls } from "./hidden_calls.ts";
import { readObjects, readOthers } from "./objects.ts";

/**
 * The hashes of a release's objects. An object has several hashes if the versions of Postgres print it
 * differently; each of them is accepted on every version. `every` has the objects of all databases. Each
 * other list has the objects of that variant only.
 */
type Fingerprint = Readonly<Record<"every" | Variant, Hashes>>;
type Hashes = Readonly<Record<string, readonly string[]>>;
export type Variant = "sandbox" | "production";

const FILE = new URL("../../catalog.json", import.meta.url);
const HASH_DIGITS = 32;

const hashOf = (text: string) => sha256Hex(text).slice(0, HASH_DIGITS);

/** Makes the fingerprint from freshly migrated databases, on each supported version of Postgres. */
export function makeFingerprint(
  databases: readonly { variant: Variant; objects: Awaited<ReturnType<typeof readObjects>> }[],
): Fingerprint {
  const spellings = (variant: Variant) => {
    const hashes: Record<string, string[]> = {};
    for (const { objects } of databases.filter((each) => each.variant === variant)) {
      for (const [name, text] of objects) {
        hashes[name] = [...new Set([...hashes[name] ?? [], hashOf(text)])].sort();
      }
    }
    return hashes;
  };
  const [sandbox, production] = [spellings("sandbox"), spellings("production")];
  const isSame = (name: string) => `${sandbox[name]}` === `${production[name]}`;
  const pick = (hashes: Hashes, keep: (name: string) => boolean) =>
    Object.fromEntries(
      Object.entries(hashes).filter(([name]) => keep(name)).sort(([left], [right]) => left < right ? -1 : 1),
    );
  return {
    every: pick(sandbox, isSame),
    sandbox: pick(sandbox, (name) => !isSame(name)),
    production: pick(production, (name) => !isSame(name)),
  };
}

/** Compares every object of the schema with this release's fingerprint. */
export async function compareCatalog(
  sql: Connection,
  findings: Findings,
  variant: Variant,
): Promise<void> {
  const fingerprint = JSON.parse(readFileSync(FILE, "utf8")) as Fingerprint;
  const lists = (["every", variant] as const).map((name) => fingerprint[name]);
  const expected = new Map(lists.flatMap((list) => Object.entries(list)));
  const counts = new Map<string, number>();
  for (const [name, text] of await readObjects(sql)) {
    const hashes = expected.get(name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (!hashes) findings.add("catalog_is_release", name, "nothing", text);
    else if (!hashes.includes(hashOf(text))) {
      findings.add("catalog_is_release", name, `the object with the hash ${hashes.join(" or ")}`, text);
    }
  }
  // Each partition of attempts has its own objects, under the same names.
  const weeks = counts.get("relation gold_attempts.week_DATE") ?? 0;
  for (const name of expected.keys()) {
    const [count, wanted] = [counts.get(name) ?? 0, name.includes("week_DATE") ? weeks : 1];
    if (count !== wanted) findings.add("catalog_is_release", name, `${wanted} object(s)`, `${count}`);
  }
  for (const [name, text] of await readOthers(sql, (table, reason) => findings.skip(table, reason))) {
    findings.add("catalog_is_release", name, "nothing", text);
  }
  await findHiddenCalls(sql, findings);
}
