import { goSource } from "./go_program.ts";

/** The library with which compose engines read their files. */
export const composeGo = goSource("compose_go");
