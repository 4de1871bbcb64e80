import { readFile } from "node:fs/promises";
import { type Head, isHead } from "@gold-partner/server";
import { usage } from "../../failure.ts";

/** Reads a file that `gold ledger heads --out` or the service wrote. Only the service states an instant. */
export async function readHeads(
  path: string,
): Promise<{ readonly items: readonly Head[]; readonly keptAt: string | null }> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw usage(`--heads: ${path} cannot be read: ${error.message}.`);
  });
  let file: { items?: unknown; at?: unknown } | null;
  try {
    file = JSON.parse(text);
  } catch {
    file = null;
  }
  const items = file?.items;
  if (Array.isArray(items) && items.every(isHead)) {
    return { items, keptAt: typeof file!.at === "string" ? file!.at : null };
  }
  throw usage(
    "--heads must name the service's HEADS_FILE or a file of `gold ledger heads --out FILE`; this file has another format.",
  );
}
