import { goSource } from "./go_program.ts";

/** What compose engines read their files with. */
export const composeGo = goSource("compose_go");
