/**
 * Cuts a number to one unit above the cap. A well-formed number may exceed every limit, and even the range of
 * a column. The database refuses the cut number in the same way.
 */
export const capped = (value: bigint, cap: bigint): bigint => value > cap ? cap + 1n : value;
