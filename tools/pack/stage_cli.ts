import { chmod, copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildVersion } from "@gold-partner/command-line";
import { build, stop } from "esbuild";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

const SCOPE = "@gold-partner/";

/**
 * Writes the package `gold-partner` for npm into a folder of `out`, and returns this folder. The program is
 * one JavaScript file that contains the packages of this repository. So the manifest lists only packages from
 * outside as dependencies, and the tarball can be installed alone.
 */
export async function stageCli(root: string, out: string): Promise<string> {
  const source = join(root, "packages", "partner_cli");
  const staged = join(out, "partner_cli");
  const own = await readManifest(source);
  const version = buildVersion(own.version);
  const { name, description, keywords, license, type, bin } = own;
  const dependencies = await othersOf(root, source);
  const { engines } = await readManifest(root);
  const [[command, main]] = Object.entries(bin) as [[string, string]];
  await build({
    absWorkingDir: root,
    entryPoints: [join(source, main)],
    outfile: join(staged, `${command}.js`),
    external: Object.keys(dependencies),
    // The program shows the version of its package. The machine that runs it has no git history of this tree.
    plugins: [{
      name: "version",
      setup: ({ onLoad }) =>
        onLoad({ filter: /partner_cli.package\.json$/ }, () => ({
          contents: JSON.stringify({ ...own, version }),
          loader: "json",
        })),
    }],
    ...{ bundle: true, platform: "node", format: "esm", target: "node20.19", logLevel: "silent" },
  });
  await stop();
  const manifest = {
    ...{ name, version, description, keywords, license, type, engines },
    ...{ bin: { [command]: `${command}.js` }, files: [`${command}.js`], dependencies },
  };
  await writeFile(join(staged, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(source, "README.md"), join(staged, "README.md"));
  await copyFile(join(root, "LICENSE"), join(staged, "LICENSE"));
  // Set the modes, because otherwise the tarball would depend on the umask.
  for (const file of ["package.json", "README.md", "LICENSE"]) await chmod(join(staged, file), 0o644);
  await chmod(join(staged, `${command}.js`), 0o755);
  return staged;
}

/** Returns the outside dependencies of a package and of the packages of this repository that it uses. */
async function othersOf(root: string, folder: string): Promise<Record<string, string>> {
  const { dependencies = {} } = await readManifest(folder);
  const all = await Promise.all(
    Object.entries(dependencies).map(([name, version]) =>
      name.startsWith(SCOPE)
        ? othersOf(root, join(root, "packages", name.slice(SCOPE.length).replaceAll("-", "_")))
        : { [name]: version }
    ),
  );
  return Object.assign({}, ...all);
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
}
