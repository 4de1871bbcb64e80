import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findFreePort } from "@gold-partner/dev/postgres";
import { killProgram } from "./kill_program.ts";
import { until } from "./until.ts";

/** The attributes of one of Toxiproxy's toxics. */
export interface Toxic {
  readonly type: "latency" | "bandwidth" | "reset_peer" | "timeout" | "slow_close" | "limit_data";
  /** To the client (downstream) or to the server. */
  readonly stream: "upstream" | "downstream";
  readonly attributes: Readonly<Record<string, number>>;
}

/** The path of a tool of `npm run tools`. */
export function findTool(name: string): string {
  const path = fileURLToPath(new URL(`../../.tools/bin/${name}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`${name} is missing. Run: node tools/run.mjs tools ${name}`);
  return path;
}

/** A running Toxiproxy. Each of its proxies stands in front of one port of this machine. */
export class Toxiproxy {
  readonly #port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.#port = port;
    this.#child = child;
  }

  static async start(): Promise<Toxiproxy> {
    const port = await findFreePort();
    const child = spawn(findTool("toxiproxy"), [`127.0.0.1:${port}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const proxy = new Toxiproxy(port, child);
    await until(() => proxy.#call("GET", "/version").then(() => true, () => false));
    return proxy;
  }

  /** Opens a proxy in front of `upstream`, and returns its own port. */
  async open(name: string, upstream: number): Promise<number> {
    const port = await findFreePort();
    const body = { name, listen: `127.0.0.1:${port}`, upstream: `127.0.0.1:${upstream}`, enabled: true };
    await this.#call("POST", "/proxies", body);
    return port;
  }

  /** Puts a toxic on every connection of a proxy, also on those that are open. */
  async poison(name: string, toxic: Toxic): Promise<void> {
    await this.#call("POST", `/proxies/${name}/toxics`, toxic);
  }

  /** Closes a proxy's connections, and refuses new ones. */
  async disable(name: string): Promise<void> {
    await this.#call("POST", `/proxies/${name}`, { enabled: false });
  }

  /** Removes all toxics and enables all proxies. */
  async reset(): Promise<void> {
    await this.#call("POST", "/reset");
  }

  async stop(): Promise<void> {
    await killProgram(this.#child);
  }

  async #call(method: string, path: string, body?: unknown): Promise<void> {
    const reply = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`Toxiproxy refused ${method} ${path}: ${reply.status} ${text}`);
  }
}
