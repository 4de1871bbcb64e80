// node --import tsx tools/schema/make_builtin.ts FOLDER…: adds the digests of Postgres's own rows to
// packages/audit/builtin.json. Each FOLDER has the programs of one version of Postgres, such as
// /usr/lib/postgresql/15/bin. Run it for each new version that the release supports, and for a minor version
// whose initdb differs from the one before. Exit: 0 done.
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type BuiltinFile, majorVersion, openAuditConnection, readDigests } from "@gold-partner/audit";
import { withPostgres15 } from "../postgres_15.ts";

const FILE = fileURLToPath(new URL("../../packages/audit/builtin.json", import.meta.url));

export async function addBuiltin(file: BuiltinFile, programs?: string): Promise<BuiltinFile> {
  return await withPostgres15(async (urlOf) => {
    const sql = openAuditConnection(urlOf("postgres"));
    const read = async () => ({ version: await majorVersion(sql), digests: await readDigests(sql) });
    const { version, digests } = await read().finally(() => sql.end());
    const known = file[version] ?? {};
    const added = Object.entries(digests).map(([table, digest]) =>
      [table, [...new Set([...known[table] ?? [], digest])].sort()] as const
    );
    return { ...file, [version]: Object.fromEntries(added) };
  }, programs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let file = JSON.parse(readFileSync(FILE, "utf8")) as BuiltinFile;
  for (const programs of process.argv.slice(2)) file = await addBuiltin(file, programs);
  writeFileSync(FILE, `${JSON.stringify(file, null, 1)}\n`);
}
