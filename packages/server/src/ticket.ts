// A room's output type is the next room's ticket. The brand exists for the compiler alone: nothing but the room that
// names it can make one, so a step that is left out of a route does not compile.
declare const brand: unique symbol;

export type Ticket<Name extends string, Content> = Content & { readonly [brand]: Name };

/** For rooms only: stamps what was checked. */
export function stamp<T extends Ticket<string, object>>(content: Omit<T, typeof brand>): T {
  return content as T;
}
