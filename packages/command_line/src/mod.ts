export { type OptionTable, parseOptions } from "./parse_options.ts";
