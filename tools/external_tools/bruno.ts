import { npmProgram } from "./npm_program.ts";

/** The command line of Bruno, which runs the collection in docs/examples/bruno. */
export const bruno = npmProgram("bruno", "@usebruno/cli");
