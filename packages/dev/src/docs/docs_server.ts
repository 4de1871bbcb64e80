import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { openApiDocument } from "@gold-partner/protocol";
import { errorsPage, PAGE_POLICY, referencePage } from "@gold-partner/server";
import { readSiteFile, type SiteFile } from "./site_files.ts";
import { START_POLICY, type StartFacts, startPage } from "./start_page.ts";

/** Serves the documentation over plain HTTP, because a browser has no client certificate. */
interface DocsServer {
  /** The URL of the start page. */
  readonly url: string;
  close(): Promise<void>;
}

interface DocsPlan {
  readonly port: number;
  readonly baseUrl: string;
  /** The folder of the built site. It may not exist yet. */
  readonly site: string;
  /** Returns what the start page shows now. */
  readonly facts: () => StartFacts;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const HTML = "text/html; charset=utf-8";
const PORT_MAX = 65_535;
const ONE_YEAR_SECONDS = 31_536_000;

/**
 * Listens on loopback only. Returns undefined if there is no such port or another program listens on it.
 */
export async function openDocs(plan: DocsPlan): Promise<DocsServer | undefined> {
  if (plan.port > PORT_MAX) return undefined;
  const hosts = ["localhost", "127.0.0.1", "[::1]"].map((host) => `${host}:${plan.port}`);
  const server = createServer((request, response) => {
    answer(request, hosts, plan).then((reply) => send(request, response, reply), (error: Error) => {
      send(request, response, text(500, `The page cannot be shown: ${error.message}`));
    });
  });
  server.listen(plan.port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
  return {
    url: `http://localhost:${plan.port}/start`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Refuses requests that a page of another site made the browser send. Such a request has the other site's
 * name in Host (DNS rebinding) or in Origin.
 */
async function answer(
  { method, url = "/", headers }: IncomingMessage,
  hosts: readonly string[],
  plan: DocsPlan,
): Promise<Reply> {
  if (!hosts.includes(headers.host ?? "")) return text(421, `Host must be ${hosts[0]}; got ${headers.host}.`);
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) {
    return text(403, `Origin must be http://${hosts[0]}; got ${origin}.`);
  }
  if (method !== "GET" && method !== "HEAD") {
    return text(405, `Method must be GET; got ${method}.`, { Allow: "GET, HEAD" });
  }
  const path = url.split("?", 1)[0]!;
  const { baseUrl, site, facts } = plan;
  const describe = () => openApiDocument({ baseUrl, environment: "sandbox" });
  if (path === "/start") return page(await startPage(facts()), START_POLICY);
  if (path === "/docs" || path === "/docs/") return page(await referencePage(describe()));
  if (path === "/docs/errors") return page(await errorsPage());
  if (path === "/openapi.json") {
    return { status: 200, headers: { "Content-Type": "application/json" }, body: JSON.stringify(describe()) };
  }
  const encodings = headers["accept-encoding"] ?? "";
  const file = await readSiteFile(site, path);
  if (file) return siteReply(file, encodings);
  if (path === "/") return text(302, "The site is not built yet.", { Location: "/start" });
  const missing = await readSiteFile(site, "/404.html");
  return missing
    ? { ...siteReply(missing, encodings), status: 404 }
    : text(404, "There is no such page. Begin at /start.");
}

const page = (body: string, policy = PAGE_POLICY): Reply => ({
  status: 200,
  headers: { "Content-Type": HTML, "Content-Security-Policy": policy, "Cache-Control": "no-cache" },
  body,
});

function siteReply({ mediaType, body, gzip, fixed }: SiteFile, acceptEncoding: string): Reply {
  const compressed = /\bgzip\b/.test(acceptEncoding);
  return {
    status: 200,
    headers: {
      "Content-Type": mediaType,
      // Each page has its own policy in a meta element. Browsers ignore frame-ancestors there.
      ...(mediaType === HTML ? { "Content-Security-Policy": "frame-ancestors 'none'" } : {}),
      "Cache-Control": fixed ? `max-age=${ONE_YEAR_SECONDS}, immutable` : "no-cache",
      "Vary": "Accept-Encoding",
      ...(compressed ? { "Content-Encoding": "gzip" } : {}),
    },
    body: compressed ? gzip : body,
  };
}

const text = (status: number, body: string, headers: Reply["headers"] = {}): Reply => ({
  status,
  headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
  body: `${body}\n`,
});

function send({ method }: IncomingMessage, response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, {
    ...headers,
    "Content-Length": `${typeof body === "string" ? new TextEncoder().encode(body).length : body.length}`,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(method === "HEAD" ? undefined : body);
}
