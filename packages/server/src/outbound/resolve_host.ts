import { promises as dns } from "node:dns";
import { readFile } from "node:fs/promises";

/** Every address of a name, IPv4 first; none where it cannot be resolved. Never rejects. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const LOOKUPS_MAX = 1024;
const LOOKUP_MAX_MS = 5000;
/** Of one server, before the next is asked. */
const PATIENCE = { timeout: 1000, tries: 2 };
const HOSTS_FILE = "/etc/hosts";

/**
 * Looks into the machine's table of hosts, then asks the name servers itself; `servers` are ip:port, the system's unless given.
 * getaddrinfo() would wait in the few threads that Web Crypto works in: a partner's slow name server would hold up everybody's
 * signatures. Whatever comes out is judged.
 */
export function createResolver(servers?: readonly string[], hostsFile: string = HOSTS_FILE): ResolveHost {
  const resolver = new dns.Resolver(PATIENCE);
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

/** How long it may take with several servers, each tried several times, is theirs to say; here is the end. */
function orNone(ask: () => Promise<string[]>): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOKUP_MAX_MS, []);
    ask().catch(() => []).then((found) => {
      clearTimeout(timer);
      resolve(found);
    });
  });
}
