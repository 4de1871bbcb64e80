import { promises as dns } from "node:dns";
import { readFile } from "node:fs/promises";

/**
 * Returns every address of a name, or none if the name cannot be resolved. Never rejects. Addresses from DNS
 * are returned with IPv4 first.
 */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const LOOKUPS_MAX = 1024;
const LOOKUP_MAX_MS = 5000;
/** `timeout` is the time limit for one server, in milliseconds. Each server is asked `tries` times. */
const RESOLVER_OPTIONS = { timeout: 1000, tries: 2 };
const HOSTS_FILE = "/etc/hosts";

/**
 * Reads the machine's hosts file, then asks the name servers directly. getaddrinfo() is not used, because it
 * blocks one of the few threads that Web Crypto uses. A partner's slow name server would then delay all
 * signatures. The caller checks every address that is returned.
 *
 * @param servers Name servers as ip:port; the system's servers by default.
 */
export function createResolver(servers?: readonly string[], hostsFile: string = HOSTS_FILE): ResolveHost {
  const resolver = new dns.Resolver(RESOLVER_OPTIONS);
  if (servers) resolver.setServers(servers);
  let lookups = 0;
  return async (hostname) => {
    if (lookups >= LOOKUPS_MAX) return [];
    lookups++;
    try {
      const written = await findInHosts(hostname, hostsFile);
      if (written.length > 0) return written;
      const [four, six] = await Promise.all([
        orNone(async () => await resolver.resolve4(hostname)),
        orNone(async () => await resolver.resolve6(hostname)),
      ]);
      return [...four, ...six];
    } finally {
      lookups--;
    }
  };
}

async function findInHosts(hostname: string, file: string): Promise<readonly string[]> {
  const table = await readFile(file, "utf8").catch(() => "");
  return table.split("\n").flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return names.some((name) => name.toLowerCase() === hostname) ? [address!] : [];
  });
}

/** Gives up after LOOKUP_MAX_MS, because several servers with several tries each could take longer. */
function orNone(ask: () => Promise<string[]>): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOKUP_MAX_MS, []);
    ask().catch(() => []).then((found) => {
      clearTimeout(timer);
      resolve(found);
    });
  });
}
