export { buildVersion } from "./build_version.ts";
export { hasIsolates, isolate, mapIsolates, splitIsolates } from "./isolate.ts";
export { failureText, hang, isNumber, pairsText, tableText } from "./layout.ts";
export { misspeltSettings } from "./misspelt_settings.ts";
export { type OptionTable, parseOptions } from "./parse_options.ts";
export {
  groupDigits,
  isInstant,
  riyadhTime,
  riyadhTimes,
  type Screen,
  screenOf,
  styled,
  widthOf,
  wrap,
} from "./screen.ts";
export { shortId } from "./short_id.ts";
export { similar } from "./similar.ts";
