// A step's output type is the input type of the next step. The brand exists only for the compiler. Only the
// step that names a ticket stamps it, so a route that leaves out a step does not compile.
declare const brand: unique symbol;

export type Ticket<Name extends string, Content> = Content & { readonly [brand]: Name };

/** For the steps of the write pipeline only: marks content as checked. */
export function stamp<T extends Ticket<string, object>>(content: Omit<T, typeof brand>): T {
  return content as T;
}
