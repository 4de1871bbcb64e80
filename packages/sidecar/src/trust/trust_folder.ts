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

/** Whom the proxy lets in, PEM by PEM. Without lists it asks for none. */
export interface Trust {
  readonly certificates: readonly string[];
  readonly revocationLists: readonly string[];
}

/** The one file that Envoy watches, and the name of the secret in it. */
export const TRUST_FILE = "trust.json";
const SECRET_NAME = "trust";
const SECRET_TYPE = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";

/** As Kubernetes lays out what it mounts: the file is a link through `..data`, and a version is swapped in by renaming that. */
const CURRENT = "..data";
const NEXT = "..next";
const VERSION_PREFIX = "..version_";

/**
 * Writes what Envoy reads as a resource of its secret discovery, certificates and lists in one file, so that it never sees one
 * without the other. Says whether there was anything to write.
 */
export async function writeTrust(folder: string, trust: Trust): Promise<boolean> {
  if (trust.certificates.length === 0) {
    throw new Error("There is no authority to trust, and a proxy that trusts none refuses everybody.");
  }
  const text = resourceText(trust);
  if (await readFile(join(folder, TRUST_FILE), "utf8").catch(() => undefined) === text) return false;
  // Nothing in it is secret, and the proxy is another user.
  if (await mkdir(folder, { recursive: true })) await chmod(folder, 0o755);
  const before = await readLink(folder, CURRENT);
  const version = await mkdtemp(join(folder, VERSION_PREFIX));
  try {
    await chmod(version, 0o755);
    await writeDurably(join(version, TRUST_FILE), text);
    await syncFolder(version);
    await pointTo(folder, CURRENT, basename(version));
  } catch (error) {
    // It is tried again every second, and a full disk would get a folder each time.
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
    // An authority signs partners' certificates itself: whoever comes with a link between is nobody's partner.
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

/** A name is durable when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

/** Renamed into place, so that there is no moment without the link. */
async function pointTo(folder: string, name: string, target: string): Promise<void> {
  if (await readLink(folder, name) === target) return;
  const next = join(folder, NEXT);
  await rm(next, { force: true });
  await symlink(target, next);
  await rename(next, join(folder, name));
}

const readLink = (folder: string, name: string) => readlink(join(folder, name)).catch(() => undefined);

/** The version before stays until the next one: somebody may be on the way through the old link. */
async function removeOthers(folder: string, kept: readonly (string | undefined)[]): Promise<void> {
  for (const name of await readdir(folder)) {
    const isOld = name.startsWith(VERSION_PREFIX) && !kept.includes(name);
    if (isOld) await rm(join(folder, name), { recursive: true });
  }
}
