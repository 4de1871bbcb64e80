const FIRST_BYTES = 1024;

/** A set of integers from 0 to 2^31 - 1. It stores one bit for each number up to the largest. */
export class SeenNumbers {
  #bits = new Uint8Array(FIRST_BYTES);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Returns true if the number is new. */
  add(number: number): boolean {
    const [at, bit] = [number >> 3, 1 << (number & 7)];
    if (at >= this.#bits.length) {
      const wider = new Uint8Array(2 * at);
      wider.set(this.#bits);
      this.#bits = wider;
    }
    if (this.#bits[at]! & bit) return false;
    this.#bits[at]! |= bit;
    this.#count++;
    return true;
  }
}
