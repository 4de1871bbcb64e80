import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { assert, assertEquals } from "@std/assert";
import type { Caller } from "../caller_trial.ts";
import { House } from "../house_trial.ts";
import { type Experience, tradeOn } from "./honest_client_trial.ts";
import { Http2Wire } from "./http2_wire_trial.ts";
import { countsBetween, readCounts } from "./service_counts_trial.ts";

/** What an order may take while somebody attacks on the same cores, and the machine pauses; it is printed, too. */
const P99_MAX_MS = 5000;

/** The house behind the real Envoy, one partner that trades, and one that attacks with a certificate as good as the other's. */
export class Siege {
  readonly house: House;
  readonly attacker: Caller;
  readonly #honest: Caller;
  readonly #tls: ConnectionOptions;

  private constructor(house: House, honest: Caller, tls: ConnectionOptions) {
    this.house = house;
    this.attacker = house.partner;
    this.#honest = honest;
    this.#tls = tls;
  }

  static async open(): Promise<Siege> {
    const house = await House.open({ envoy: true });
    const honest = await house.onboard("Honest Bank");
    await honest.succeed("fundSandbox", { body: { amount_sar: 10_000_000 } });
    const { credentials } = house.partner;
    const [ca, cert, key] = await Promise.all(
      [credentials.ca, credentials.cert, credentials.key].map((file) => readFile(file, "utf8")),
    );
    const { hostname: servername, port } = new URL(house.running.baseUrl);
    const tls = { host: "127.0.0.1", port: Number(port), servername, ca: ca!, cert: cert!, key: key! };
    return new Siege(house, honest, tls);
  }

  close(): Promise<void> {
    return this.house.close();
  }

  /** A connection of the attacker's; it speaks whatever it wants. */
  async connect(options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({ ...this.#tls, ...options });
    await once(socket, "secureConnect");
    // Whoever attacks is cut off at times, and a socket that nobody listens to would end the process.
    return socket.on("error", () => {});
  }

  /** A connection of the attacker's that begins as HTTP/2 does, with settings of its own. */
  async openHttp2(...settings: (readonly [setting: number, value: number])[]): Promise<Http2Wire> {
    return new Http2Wire(await this.connect({ ALPNProtocols: ["h2"] })).greet(settings);
  }

  /**
   * Attacks while the honest partner trades. Throws where an order of its failed or took too long, and where the
   * service broke; says what of the attack reached the service.
   */
  async withstand(what: string, attack: () => Promise<unknown>): Promise<Record<string, number>> {
    const operations = this.house.socket("server_operations.sock");
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
    console.log(`${what}: ${seconds.toFixed(1)} s, ${orders} orders of others, p99 ${p99Ms.toFixed(1)} ms`);
    assertEquals(failures, [], `${what}: others were not served`);
    assert(p99Ms < P99_MAX_MS, `${what}: others waited for ${Math.round(p99Ms)} ms`);
    const own = new Map([["/v1/quotes 201", orders], ["/v1/orders 201", orders]]);
    const reached = countsBetween(before, await readCounts(operations), own);
    const broken = Object.keys(reached).filter((one) => / 5\d\d$/.test(one));
    assertEquals(broken, [], `${what}: the service answered 5xx`);
    return reached;
  }
}
