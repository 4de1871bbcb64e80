/** A fixture that runs `npm start` for the tests of the whole stack. */
export { awaitEnd, readRun, type RunFile, type Started, startUntilReady } from "./start.ts";
