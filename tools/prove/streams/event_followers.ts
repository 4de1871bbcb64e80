import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../testing/until.ts";
import type { Deployment } from "../stage/deployment.ts";
import { openTlsPool, readIdentity } from "../stage/partner_connection.ts";
import type { Finding } from "../stage/report.ts";
import { addTo, tallyText, verdictOf, Wire } from "../stage/wire.ts";
import { type ListedEvent, readEvents } from "../webhooks/listed_events.ts";
import { FollowedStream, type StreamHandlers, type StreamingPartner } from "./followed_stream.ts";

const FOLLOWERS_EACH = 4;
const FUNDING_PAUSE_MS = 100;
const EVENT_STREAM = "/v1/events/stream?after=0";
const BOOKED: readonly string[] = ["201", "200 replayed"];
/** What a request may get while a process stops, dies or starts. The writer sends it again. */
const PASSING = /^(?:503 |an? |no connection)/;

/** The events that one stream received. */
class Follower implements StreamHandlers {
  readonly digests: string[] = [];
  readonly wrong: string[] = [];
  readonly #ends: Map<string, number>;

  constructor(ends: Map<string, number>) {
    this.#ends = ends;
  }

  message({ id, data }: { readonly id: string; readonly data: string }): void {
    const due = this.digests.length + 1;
    if (Number(id) !== due) this.wrong.push(`event ${id} came instead of event ${due}`);
    this.digests.push(createHash("sha256").update(data).digest("base64"));
  }

  ended(reason: string | undefined): void {
    addTo(this.#ends, reason ?? "broken");
  }
}

/** Partners whose fundings make events, with several streams of events each. */
export class EventFollowers {
  /** How many streams ended for each reason; `broken` without a last message. */
  readonly ends = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  readonly #failures: string[] = [];
  readonly #followed: { partner: StreamingPartner; follower: Follower; stream: FollowedStream }[];
  readonly #writers: readonly Promise<void>[];
  #fundings = 0;
  #on = true;

  constructor(partners: readonly StreamingPartner[], port: number) {
    this.#followed = partners.flatMap((partner) =>
      Array.from({ length: FOLLOWERS_EACH }, () => {
        const follower = new Follower(this.ends);
        return {
          partner,
          follower,
          stream: new FollowedStream(partner, EVENT_STREAM, follower, this.#refusals),
        };
      })
    );
    this.#writers = partners.map((partner) => this.#write(partner, port));
  }

  get broken(): number {
    return this.ends.get("broken") ?? 0;
  }

  /** Stops the fundings, and compares what each stream received with the list of events. */
  async check({ servers }: Deployment): Promise<Finding> {
    this.#on = false;
    await Promise.all(this.#writers);
    const violations = [...this.#failures];
    const wire = await Wire.open(servers[0]!.socket);
    const listed = new Map<StreamingPartner, ListedEvent[]>();
    for (const { partner, follower, stream } of this.#followed) {
      const events = listed.get(partner) ?? await readEvents(wire, partner.trader);
      listed.set(partner, events);
      const name = partner.trader.clientId;
      await until(() => follower.digests.length >= events.length, undefined, 30_000)
        .catch(() => violations.push(`${name}: ${follower.digests.length} of ${events.length} events came`));
      await stream.close();
      violations.push(...follower.wrong.map((sentence) => `${name}: ${sentence}`));
      const differing = follower.digests.findIndex((digest, n) => digest !== events[n]?.digest);
      if (differing >= 0) violations.push(`${name}: event ${differing + 1} differs from the list`);
    }
    wire.close();
    const events = [...listed.values()].reduce((sum, { length }) => sum + length, 0);
    if (events < this.#fundings) violations.push(`${this.#fundings} fundings made only ${events} events`);
    return {
      what:
        `${events} events of ${listed.size} partners, ${this.#fundings} fundings; ${this.#followed.length} ` +
        `streams ended: ${tallyText(this.ends)}; refused: ${tallyText(this.#refusals) || "none"}`,
      violations,
    };
  }

  async #write({ trader }: StreamingPartner, port: number): Promise<void> {
    const pool = openTlsPool(port, await readIdentity(trader.credentials));
    while (this.#on) {
      const key = randomUUID();
      for (;;) {
        const verdict = verdictOf(await pool.send(trader.fund("1", key)));
        if (BOOKED.includes(verdict)) break;
        if (!PASSING.test(verdict)) this.#failures.push(`a funding of ${trader.clientId} got ${verdict}`);
        await sleep(FUNDING_PAUSE_MS);
      }
      this.#fundings++;
      await sleep(FUNDING_PAUSE_MS);
    }
    pool.close();
  }
}
