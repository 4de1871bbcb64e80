/** Returns a generator of numbers from 0 up to 1 (mulberry32). The same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns an integer from 0 to `below - 1`. */
export type Random = (below: number) => number;

export function randomFrom(seed: number): Random {
  const next = seededRandom(seed);
  return (below) => Math.floor(next() * below);
}
