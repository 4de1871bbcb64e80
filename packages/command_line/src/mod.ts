export { type OptionTable, parseOptions } from "./parse_options.ts";
export { findMisspelt, misspeltText } from "./misspelt_settings.ts";
