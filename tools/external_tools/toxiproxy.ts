import { goSource } from "./go_program.ts";

/** A TCP proxy that delays, throttles and breaks connections. */
export const toxiproxy = goSource("toxiproxy");
