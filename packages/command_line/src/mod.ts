export { type OptionTable, parseOptions } from "./parse_options.ts";
export { misspeltSettings } from "./misspelt_settings.ts";
