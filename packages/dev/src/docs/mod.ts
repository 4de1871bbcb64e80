import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ROOT, startChild } from "../child.ts";
import type { Running } from "../running.ts";
import { openDocs } from "./docs_server.ts";
import type { Step } from "./start_page.ts";

/** The documentation of a running service: its pages over plain HTTP, and the site when it is built. */
interface Documentation {
  /** The URL of the start page, or undefined if the port is taken. */
  readonly url: string | undefined;
  stop(): Promise<void>;
}

const SITE = join(ROOT, "site", "dist");
const LOWEST_PRIORITY = 19;
const STOP_MS = 1_000;

/** npm needs the user's own settings, such as a proxy or a CA, to install the generator. */
const ownEnvironment = () => process.env as Record<string, string>;

/**
 * Serves the documentation. With `build`, also builds the site in the background, at the lowest priority, so
 * that it does not slow the service down.
 */
export async function startDocumentation(
  { baseUrl, credentials, state }: Running,
  { port, build, steps }: { readonly port: number; readonly build: boolean; readonly steps: readonly Step[] },
): Promise<Documentation> {
  const { subject, validTo } = new X509Certificate(readFileSync(credentials.cert));
  let building = build;
  const server = await openDocs({
    port,
    baseUrl,
    site: join(SITE, "www"),
    facts: () => ({
      baseUrl,
      clientId: credentials.client_id,
      certificate: { subject: subject.replaceAll("\n", ", "), validTo },
      credentials: state.path("partners", credentials.client_id, "credentials.json"),
      consoleLink: state.path("console"),
      steps,
      site: existsSync(join(SITE, "stamp")) ? "built" : building ? "building" : "not built",
    }),
  });
  const builder = build
    ? startChild(join(ROOT, "site", "build.ts"), ownEnvironment(), state.path("log", "site.log"), [
      "--if-changed",
    ])
    : undefined;
  if (builder) setPriority(builder.pid, LOWEST_PRIORITY);
  builder?.exited.then(() => building = false);
  return {
    url: server?.url,
    async stop() {
      await builder?.stop(STOP_MS);
      await server?.close();
    },
  };
}
