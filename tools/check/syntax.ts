// The only file that calls the parser in TypeScript's API. TypeScript calls this API unstable, so the version
// is pinned, and a change of the API affects only this file. Files are parsed from memory, so that a test can
// check a violation without writing files.
import { API } from "typescript/unstable/async";
import type { Node, SourceFile } from "typescript/unstable/ast";

const ROOT = "/tree/";
const PROJECT = `${ROOT}tsconfig.json`;

/** Parses each file by itself: no library, no resolution, no type checking. */
export async function parseFiles(files: ReadonlyMap<string, string>): Promise<Map<string, SourceFile>> {
  const project = JSON.stringify({
    compilerOptions: { noLib: true, noResolve: true, types: [], allowJs: true, module: "preserve" },
    files: [...files.keys()],
  });
  const api = new API({
    cwd: ROOT,
    fs: {
      readFile: (name) => name === PROJECT ? project : files.get(name.slice(ROOT.length)) ?? null,
      fileExists: (name) => name === PROJECT || files.has(name.slice(ROOT.length)),
      directoryExists: (name) => `${name}/`.startsWith(ROOT) && !name.includes("node_modules"),
      getAccessibleEntries: () => ({ files: [], directories: [] }),
      realpath: (name) => name,
    },
  });
  try {
    const program = (await api.updateSnapshot({ openProject: PROJECT })).getProjects()[0]?.program;
    const parsed = new Map<string, SourceFile>();
    for (const path of files.keys()) {
      const syntax = await program?.getSourceFile(ROOT + path);
      if (!syntax) throw new Error(`TypeScript did not parse ${path}.`);
      parsed.set(path, syntax);
    }
    return parsed;
  } finally {
    await api.close();
  }
}

/**
 * Calls `visit` for each node below `node`, parents first. If `visit` returns false, the nodes below are left
 * out.
 */
export function walk(node: Node, visit: (node: Node) => boolean | void): void {
  node.forEachChild((child) => {
    if (visit(child) !== false) walk(child, visit);
    return undefined;
  });
}

export function lineOf(node: Node, file: SourceFile): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}
