// A ticket is a value with a brand that exists only for the compiler. Each step of admission returns a ticket
// that a later step requires, so a route that leaves out a step does not compile. Only the step that defines
// a ticket stamps it.
declare const brand: unique symbol;

interface Branded<Name extends string> {
  readonly [brand]: { readonly [name in Name]: true };
}

export type Ticket<Name extends string, Content> = Content & Branded<Name>;

type Plain<T> = T extends string ? string : T extends Uint8Array ? Uint8Array : Omit<T, typeof brand>;

/** Marks content as checked. Only the steps of admission may call this. */
export function stamp<T extends Branded<never>>(content: Plain<T>): T {
  return content as unknown as T;
}
