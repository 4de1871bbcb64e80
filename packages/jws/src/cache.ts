/**
 * A cache that drops its oldest entry when it is full. A sender that fills the cache can make the requests of
 * other senders slower, but it cannot use up the memory.
 */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): V {
    if (this.#entries.size >= this.#capacity && !this.#entries.has(key)) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, value);
    return value;
  }
}
