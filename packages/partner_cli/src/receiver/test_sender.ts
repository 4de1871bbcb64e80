import { ID_PREFIX, newId, newWebhookSecret } from "@gold-partner/protocol";
import { type Answer, deliver, isAccepted, type Message, type Receiver, signedMessage } from "./deliver.ts";
import type { ReceiverLog } from "./log.ts";

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** An event that the command made. It does not exist in the service. */
export interface TestEvent {
  readonly id: string;
  readonly sequence: number;
  /** The previous_sequence in the body. */
  readonly previous: number | null;
  readonly body: string;
}

/** The options of one delivery. Without options, the delivery is correct. */
export interface DeliveryOptions {
  /** The secrets that sign. Default: the receiver's own. */
  readonly secrets?: readonly string[];
  readonly ageSeconds?: number;
  /** Changes the message after it was signed. */
  readonly change?: (message: Message) => Message;
}

/** Makes events for one receiver, and delivers them with or without a fault. */
export class TestSender {
  /** A secret that the receiver does not have. */
  readonly foreign: string = newWebhookSecret(random);
  readonly secret: string;
  /** Undefined without --log. The checks then see the receiver's answers, but not what it processes. */
  readonly log: ReceiverLog | undefined;
  readonly #receiver: Receiver;
  readonly #clientId: string | undefined;
  readonly #now: () => number;
  #next: number;
  /** Sequence numbers of take() that no accepted event has yet, and those of reopen(). */
  readonly #missing = new Set<number>();
  readonly #skipped: number[] = [];

  constructor(
    { receiver, clientId, secret, log, next, now }: {
      readonly receiver: Receiver;
      /** The client_id in the body. Undefined: the body has none, as before 0.7.0. */
      readonly clientId?: string | undefined;
      readonly secret: string;
      readonly log?: ReceiverLog | undefined;
      /** The sequence number that the receiver expects. */
      readonly next: number;
      readonly now: () => number;
    },
  ) {
    [this.#receiver, this.#clientId, this.secret, this.log] = [receiver, clientId, secret, log];
    [this.#next, this.#now] = [next, now];
  }

  /** Makes the event with the next sequence number, and uses up that number. */
  take(type?: string): TestEvent {
    this.#missing.add(this.#next);
    return this.#make(this.#next++, { type });
  }

  /**
   * Makes an event after `skipped` numbers that the receiver does not get, as an endpoint with a filter does not. The
   * event names `previous` as the event before it.
   */
  takeAfterGap(skipped: number, previous: TestEvent | null): TestEvent {
    for (const end = this.#next + skipped; this.#next < end; this.#next++) this.#skipped.push(this.#next);
    this.#missing.add(this.#next);
    return this.#make(this.#next++, { previous: previous?.sequence ?? null });
  }

  /**
   * Makes an event with the next sequence number for a delivery that must be refused. The number stays free.
   */
  peek(): TestEvent {
    return this.#make(this.#next);
  }

  /**
   * Uses up the next sequence number, because the receiver processed an event of peek() that it had to
   * refuse.
   */
  skip(): void {
    this.#next++;
  }

  /** Makes fillGaps() deliver another event with the number of this one. */
  reopen({ sequence }: TestEvent): void {
    this.#missing.add(sequence);
  }

  /** Makes fillGaps() deliver events with the numbers that takeAfterGap() skipped. A receiver may wait for them. */
  reopenSkipped(): void {
    for (const sequence of this.#skipped) this.#missing.add(sequence);
  }

  #make(
    sequence: number,
    { type = "order.executed", previous = sequence === 1 ? null : sequence - 1 }: {
      readonly type?: string | undefined;
      readonly previous?: number | null;
    } = {},
  ): TestEvent {
    const at = new Date(this.#now()).toISOString();
    const id = newId(ID_PREFIX.event, this.#now(), random);
    const order = {
      order_id: newId(ID_PREFIX.order, this.#now(), random),
      quote_id: newId(ID_PREFIX.quote, this.#now(), random),
      ...{ side: "buy", gold_grams: 0.1, price_per_gram_sar: 500, total_sar: 50 },
      ...{ status: "executed", executed_at: at },
    };
    const data = { order, chain_head: "0".repeat(64) };
    const added = { previous_sequence: previous, client_id: this.#clientId };
    const body = { type, id, sequence, created_at: at, data, ...added };
    return { id, sequence, previous, body: JSON.stringify(body) };
  }

  /** Delivers an event and returns the receiver's answer. */
  async send(
    event: TestEvent,
    { secrets = [this.secret], ageSeconds = 0, change }: DeliveryOptions = {},
  ): Promise<Answer> {
    const timestamp = Math.floor(this.#now() / 1000) - ageSeconds;
    const message = signedMessage(event.id, event.body, secrets, timestamp);
    const answer = await deliver(this.#receiver, change ? change(message) : message);
    if (isAccepted(answer)) this.#missing.delete(event.sequence);
    return answer;
  }

  /** Delivers correct events for the missing numbers, so that no later check meets a gap. */
  async fillGaps(): Promise<void> {
    for (const sequence of [...this.#missing].sort((one, other) => one - other)) {
      await this.send(this.#make(sequence));
    }
  }
}
