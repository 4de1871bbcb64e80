import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { basename, join } from "node:path";

/**
 * The CAs whose certificates the proxy accepts, and their revocation lists, each as PEM. Without lists, the
 * proxy checks no revocation.
 */
export interface Trust {
  readonly certificates: readonly string[];
  readonly revocationLists: readonly string[];
}

/** The one file that Envoy watches, and the name of the secret in it. */
export const TRUST_FILE = "trust.json";
const SECRET_NAME = "trust";
const SECRET_TYPE = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";

/**
 * The layout that Kubernetes uses for mounted files. The file is a link through `..data`, and renaming a new
 * `..data` over the old one switches the version.
 */
const CURRENT = "..data";
const NEXT = "..next";
const VERSION_PREFIX = "..version_";

/**
 * Writes the trust as a resource of Envoy's secret discovery. Certificates and lists are in one file, so that
 * Envoy never sees one without the other. Returns false if there was nothing to change.
 */
export async function writeTrust(folder: string, trust: Trust): Promise<boolean> {
  if (trust.certificates.length === 0) {
    throw new Error("There is no trusted CA to write, and a proxy without a trusted CA refuses everybody.");
  }
  const text = resourceText(trust);
  if (await readFile(join(folder, TRUST_FILE), "utf8").catch(() => undefined) === text) return false;
  // Let the proxy read the folder, because it runs as another user. Nothing in the folder is secret.
  if (await mkdir(folder, { recursive: true })) await chmod(folder, 0o755);
  const before = await readLink(folder, CURRENT);
  const version = await mkdtemp(join(folder, VERSION_PREFIX));
  try {
    await chmod(version, 0o755);
    await writeDurably(join(version, TRUST_FILE), text);
    await syncFolder(version);
    await pointTo(folder, CURRENT, basename(version));
  } catch (error) {
    // Clean up. The caller retries every second, and each attempt on a full disk would leave another folder.
    await rm(version, { recursive: true, force: true });
    throw error;
  }
  await pointTo(folder, TRUST_FILE, join(CURRENT, TRUST_FILE));
  await syncFolder(folder);
  await removeOthers(folder, [basename(version), before]);
  return true;
}

function resourceText({ certificates, revocationLists }: Trust): string {
  const context = {
    trusted_ca: { inline_string: certificates.join("") },
    ...(revocationLists.length > 0 ? { crl: { inline_string: revocationLists.join("") } } : {}),
    // Refuse a chain with an intermediate certificate, because CAs sign partners' certificates directly.
    max_verify_depth: 0,
  };
  return JSON.stringify({
    resources: [{ "@type": SECRET_TYPE, name: SECRET_NAME, validation_context: context }],
  });
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o644);
  try {
    await file.chmod(0o644);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Calls fsync on a folder. Without this, a new name in the folder may be missing after a crash. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

/**
 * Makes a link point to `target`. Renames a new link over the old one, so that the link exists at every
 * moment.
 */
async function pointTo(folder: string, name: string, target: string): Promise<void> {
  if (await readLink(folder, name) === target) return;
  const next = join(folder, NEXT);
  await rm(next, { force: true });
  await symlink(target, next);
  await rename(next, join(folder, name));
}

const readLink = (folder: string, name: string) => readlink(join(folder, name)).catch(() => undefined);

/** The previous version stays until the next write, because a reader may still follow the old link. */
async function removeOthers(folder: string, kept: readonly (string | undefined)[]): Promise<void> {
  for (const name of await readdir(folder)) {
    const isOld = name.startsWith(VERSION_PREFIX) && !kept.includes(name);
    if (isOld) await rm(join(folder, name), { recursive: true });
  }
}
