/**
 * The package's entry point: settings, migrations, key formats, and the parts that other packages use.
 * Fixtures for tests have their own entry point, testing/mod.ts.
 */
export {
  type Config,
  ConfigError,
  type Environment,
  parseBaseUrl,
  readConfig,
  readDeliveryConfig,
} from "./settings/config.ts";
export { defaultOf, misspeltSettings, SETTINGS } from "./settings/settings.ts";
export { checkPriceUrl } from "./booking/trading/price_source_http.ts";
export { migrate } from "./database/migrate.ts";
export { isKeySource, type KeySource, nameOfKey, readKeys } from "./settings/key_source.ts";
export { ROLES } from "./settings/role.ts";
export { createSealing, type Sealing } from "./settings/sealing.ts";
export { admitCertificate } from "./admission/identity/client_certificate.ts";
export { parseRange } from "./admission/identity/ip_range.ts";
export { admitToken } from "./admission/token/caller.ts";
export { hashSecret } from "./admission/token/client_secret.ts";
export { parseAllowList } from "./settings/allow_list.ts";
export { checkEndpoint } from "./http/outbound/check_endpoint.ts";
export { createApp } from "./process/app.ts";
export { errorsPage } from "./routes/docs_page/errors.ts";
export { page, PAGE_POLICY } from "./routes/docs_page/page.ts";
export { referencePage } from "./routes/docs_page/reference.ts";
export { assemble, type Assembly } from "./process/assembly.ts";
export { openBooking } from "./booking/booking.ts";
export { type Head, isHead, openHeadKeeper } from "./database/keep_heads.ts";
export { openPools } from "./database/pools.ts";
export { openWriteProbe } from "./database/write_probe.ts";
export { createLog } from "./operations/log.ts";
export { createMetrics } from "./operations/metrics.ts";
export { printable, printableJson } from "./operations/printable.ts";
export { bodyOf } from "./http/reply.ts";
export { answerBroken } from "./http/wire/answer_broken.ts";
export { findFault } from "./http/wire/fault.ts";
export { sendProblem } from "./http/wire/problem.ts";
