import type { Sql } from "postgres";

/** `lanes` sends the batches. `waiting` sends the bookings that wait for a locked account. */
export interface BookingPools {
  readonly lanes: Sql;
  readonly waiting: Sql;
}
