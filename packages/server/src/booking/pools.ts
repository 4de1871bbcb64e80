import type { Sql } from "postgres";

/** The connections of the lanes, and those of the bookings that wait for a locked account. */
export interface BookingPools {
  readonly lanes: Sql;
  readonly waiting: Sql;
}
