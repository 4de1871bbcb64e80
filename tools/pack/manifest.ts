interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** What npm reads of a staged package: its source's manifest, with doors that plain Node and TypeScript can open. */
export function stagedManifest(source: SourceManifest, engines: unknown): Readonly<Record<string, unknown>> {
  const doors = Object.entries(source.exports).map(([door, path]) => {
    const stem = path.replace(/\.ts$/, "");
    // "default" and not "import": the Node that `engines` asks for also require()s an ES module.
    return [door, { types: `${stem}.d.ts`, default: `${stem}.js` }] as const;
  });
  return { ...source, engines, sideEffects: false, files: ["src"], exports: Object.fromEntries(doors) };
}
