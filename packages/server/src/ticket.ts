// A step's output type is the input type of the next step. The brand exists only for the compiler. Only the
// step that names a ticket stamps it, so a route that leaves out a step does not compile.
declare const brand: unique symbol;

interface Branded<Name extends string> {
  readonly [brand]: { readonly [name in Name]: true };
}

export type Ticket<Name extends string, Content> = Content & Branded<Name>;

type Plain<T> = T extends string ? string : T extends Uint8Array ? Uint8Array : Omit<T, typeof brand>;

/** For the steps of admission only: marks content as checked. */
export function stamp<T extends Branded<never>>(content: Plain<T>): T {
  return content as unknown as T;
}
