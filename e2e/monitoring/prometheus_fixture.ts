import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findFreePort } from "@gold-partner/dev/postgres";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";
import { until } from "../../tools/testing/until.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const ALERTS = join(ROOT, "deploy/prometheus/alerts.yaml");

/** A page of metrics that is served on a Unix socket. */
export interface Page {
  readonly socketPath: string;
  readonly path: string;
}

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

/** The real Prometheus, which scrapes every second and evaluates this project's alarms. */
export class TestPrometheus {
  readonly #port: number;
  readonly #stops: (() => Promise<void>)[];

  private constructor(port: number, stops: (() => Promise<void>)[]) {
    this.#port = port;
    this.#stops = stops;
  }

  /** Prometheus connects only to TCP, so a relay forwards its requests to the sockets. */
  static async start(pages: readonly Page[], targets: readonly string[]): Promise<TestPrometheus> {
    const relay = createServer((incoming, response) => {
      request(pages[Number(incoming.url!.slice(1))]!, (reply) => {
        response.writeHead(reply.statusCode!, reply.headers);
        reply.pipe(response);
      }).on("error", () => response.writeHead(502).end()).end();
    });
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
    const relayed = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
    const jobs = [
      ...pages.map((_, index) => ({ metrics_path: `/${index}`, target: relayed })),
      ...targets.map((target) => ({ metrics_path: "/metrics", target })),
    ];
    const [folder, port] = [temporaryFolder("prometheus"), await findFreePort()];
    const config = join(folder, "prometheus.yaml");
    writeFileSync(
      config,
      // JSON is YAML.
      JSON.stringify({
        global: {
          scrape_interval: "1s",
          evaluation_interval: "1s",
          external_labels: { documentation: "https://docs.example" },
        },
        rule_files: [ALERTS],
        scrape_configs: jobs.map(({ metrics_path, target }, index) => ({
          job_name: `${index}`,
          metrics_path,
          static_configs: [{ targets: [target] }],
        })),
      }),
    );
    const prometheus = run("prometheus", [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    const started = new TestPrometheus(port, [
      prometheus.stop,
      async () => {
        relay.closeAllConnections();
        await new Promise((resolve) => relay.close(resolve));
      },
    ]);
    await until(() => prometheus.child.exitCode !== null || started.#isReady(), prometheus.output)
      .catch(async (error) => {
        await started.stop();
        throw error;
      });
    return started;
  }

  #isReady(): Promise<boolean> {
    return fetch(`http://127.0.0.1:${this.#port}/-/ready`).then(({ ok }) => ok, () => false);
  }

  async #get(path: string): Promise<{ readonly result?: unknown; readonly groups?: unknown }> {
    const reply = await fetch(`http://127.0.0.1:${this.#port}/api/v1/${path}`);
    const { data, error } = await reply.json() as { data?: object; error?: string };
    if (!data) throw new Error(`${path}: ${error}`);
    return data;
  }

  /** Returns the expressions that have no series with a number now. */
  async withoutNumber(expressions: readonly string[]): Promise<string[]> {
    const found = await Promise.all(expressions.map(async (query) => {
      const { result } = await this.#get(`query?${new URLSearchParams({ query })}`);
      return (result as { value: [number, string] }[]).some(({ value: [, number] }) => number !== "NaN");
    }));
    return expressions.filter((_, index) => !found[index]);
  }

  async rules(): Promise<Rule[]> {
    const { groups } = await this.#get("rules");
    return (groups as { rules: Rule[] }[]).flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }
}

/** Runs the real HAProxy with the configuration that `sidecar config` writes. Returns the address of its metrics. */
export async function startHaproxy(): Promise<{ readonly metrics: string; stop(): Promise<void> }> {
  const folder = temporaryFolder("monitored-haproxy");
  const inside = (name: string) => join(folder, name);
  const [front, inner, metrics] = [await findFreePort(), await findFreePort(), await findFreePort()]
    .map((port) => `127.0.0.1:${port}`) as [string, string, string];
  const { status, stderr } = spawnSync(
    "node",
    ["--import", "tsx", join(ROOT, "packages/sidecar/src/main.ts"), "config"],
    {
      encoding: "utf8",
      cwd: ROOT,
      env: {
        PATH: process.env["PATH"],
        GOLD_ENV: "sandbox",
        PUBLIC_BASE_URL: "https://localhost:8443",
        FRONT_LISTEN: front,
        FRONT_DIRECTORY: folder,
        FRONT_METRICS_LISTEN: metrics,
        SIDECAR_LISTEN: inner,
        ADMIN_LISTEN: `unix:${inside("admin.sock")}`,
        UPSTREAMS: `unix:${inside("server.sock")}`,
        CONFIG_DIRECTORY: inside("envoy"),
        TRUST_DIRECTORY: inside("trust"),
        SERVER_CERTIFICATE_DIRECTORY: inside("certificate"),
      },
    },
  );
  if (status !== 0) throw new Error(`sidecar config exited with ${status}: ${stderr}`);
  const { stop } = run("haproxy", ["-db", "-f", inside("haproxy.cfg")]);
  return { metrics, stop };
}

function run(program: string, args: readonly string[]) {
  let said = "";
  // Debian installs HAProxy in /usr/sbin, which only root has on its PATH.
  const child: ChildProcess = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` },
  });
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (part) => said += part);
  child.on("error", ({ message }) => said += `${message}: .ci/host_tools installs ${program}.`);
  return {
    child,
    output: () => said,
    async stop() {
      child.kill("SIGTERM");
      if (child.pid && child.exitCode === null) await once(child, "exit");
    },
  };
}
