import type { AdmissionDeps } from "../admission/deps.ts";
import type { Booking } from "../booking/booking.ts";
import type { WriteProbe } from "../database/write_probe.ts";
import type { Reads } from "../reads/reads.ts";

/** The dependencies of the app. Time, randomness and the database come only from here. */
export interface Deps extends AdmissionDeps {
  readonly booking: Booking;
  readonly reads: Reads;
  readonly writes: WriteProbe;
}
