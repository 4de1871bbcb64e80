const POOL_BYTES = 4096;

/**
 * Returns a source of random bytes that uses each byte once. It reads many bytes from the system at a time,
 * because one read takes longer than making an id.
 */
export function openRandomPool(): (length: number) => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES);
  let next = POOL_BYTES;
  return (length) => {
    if (length > POOL_BYTES) return crypto.getRandomValues(new Uint8Array(length));
    if (next + length > POOL_BYTES) {
      crypto.getRandomValues(pool);
      next = 0;
    }
    const bytes = pool.slice(next, next + length);
    pool.fill(0, next, next += length);
    return bytes;
  };
}
