import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { assert, assertEquals } from "@std/assert";
import type { Caller } from "../caller_fixture.ts";
import { Stack } from "../stack_fixture.ts";
import { type Experience, tradeOn } from "./honest_client_fixture.ts";
import { Http2Wire } from "./http2_wire_fixture.ts";
import { countsBetween, readCounts } from "./service_counts_fixture.ts";

/**
 * The limit for an order's time during an attack on the same cores. High, because the time includes pauses of
 * the machine. The actual time is also printed.
 */
const P99_MAX_MS = 20_000;

/**
 * The service behind the real Envoy, with two partners. One partner trades. The other attacks, with an
 * equally valid certificate.
 */
export class Siege {
  readonly stack: Stack;
  readonly attacker: Caller;
  readonly #honest: Caller;
  readonly #tls: ConnectionOptions;

  private constructor(stack: Stack, honest: Caller, tls: ConnectionOptions) {
    this.stack = stack;
    this.attacker = stack.partner;
    this.#honest = honest;
    this.#tls = tls;
  }

  static async open(): Promise<Siege> {
    const stack = await Stack.open({ envoy: true });
    const honest = await stack.onboard("Honest Bank");
    await honest.succeed("fundSandbox", { body: { amount_sar: 10_000_000 } });
    const { credentials } = stack.partner;
    const [ca, cert, key] = await Promise.all(
      [credentials.ca, credentials.cert, credentials.key].map((file) => readFile(file, "utf8")),
    );
    const { hostname: servername, port } = new URL(stack.running.baseUrl);
    const tls = { host: "127.0.0.1", port: Number(port), servername, ca: ca!, cert: cert!, key: key! };
    return new Siege(stack, honest, tls);
  }

  close(): Promise<void> {
    return this.stack.close();
  }

  /** Opens a connection as the attacker, on which a test can send any bytes. */
  async connect(options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({ ...this.#tls, ...options });
    await once(socket, "secureConnect");
    // Ignore errors. Envoy may cut off an attacker's connection, and a socket error without a listener would
    // end the process.
    return socket.on("error", () => {});
  }

  /** Opens an HTTP/2 connection as the attacker, with these settings. */
  async openHttp2(...settings: (readonly [setting: number, value: number])[]): Promise<Http2Wire> {
    return new Http2Wire(await this.connect({ ALPNProtocols: ["h2"] })).greet(settings);
  }

  /**
   * Attacks while the honest partner trades. Throws if a request of the honest partner failed, if its orders
   * took too long, or if the service answered with 5xx. Returns how many of the attack's requests reached the
   * service, by route and status.
   */
  async withstand(what: string, attack: () => Promise<unknown>): Promise<Record<string, number>> {
    const operations = this.stack.socket("server_operations.sock");
    const before = await readCounts(operations);
    const endTrade = tradeOn(this.#honest);
    const startedMs = performance.now();
    let experience: Experience;
    let seconds = NaN;
    try {
      await attack();
      seconds = (performance.now() - startedMs) / 1000;
    } finally {
      experience = await endTrade();
    }
    const { orders, p99Ms, failures } = experience;
    console.log(
      `${what}: ${seconds.toFixed(1)} s, ${orders} orders of the honest partner, p99 ${p99Ms.toFixed(1)} ms`,
    );
    assertEquals(failures, [], `${what}: the honest partner's requests failed`);
    assert(p99Ms < P99_MAX_MS, `${what}: the honest partner waited ${Math.round(p99Ms)} ms (p99)`);
    const own = new Map([["/v1/quotes 201", orders], ["/v1/orders 201", orders]]);
    const reached = countsBetween(before, await readCounts(operations), own);
    const broken = Object.keys(reached).filter((one) => / 5\d\d$/.test(one));
    assertEquals(broken, [], `${what}: the service answered 5xx`);
    return reached;
  }
}
