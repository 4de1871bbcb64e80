interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/**
 * Returns the manifest of a staged package for npm: the manifest of its source, with exports that plain Node
 * and TypeScript can load.
 */
export function stagedManifest(source: SourceManifest, engines: unknown): Readonly<Record<string, unknown>> {
  const entryPoints = Object.entries(source.exports).map(([name, path]) => {
    const stem = path.replace(/\.ts$/, "");
    // Use "default" instead of "import", so that require() works, too. The Node versions that `engines`
    // allows can require() an ES module.
    return [name, { types: `${stem}.d.ts`, default: `${stem}.js` }] as const;
  });
  const exports = Object.fromEntries(entryPoints);
  // TypeScript's older module resolution ("node") reads only these two.
  const { types, default: main } = exports["."] ?? {};
  return { ...source, engines, sideEffects: false, files: ["src"], main, types, exports };
}
