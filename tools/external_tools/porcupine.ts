import { goSource } from "./go_program.ts";

/** Checks with Porcupine whether a history of requests and replies is linearizable. */
export const porcupine = goSource("porcupine");
