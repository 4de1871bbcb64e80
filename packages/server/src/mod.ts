/** The one door for those who operate the service: its settings, its migrations, its keys' forms. */
export { type Config, type Environment, readConfig } from "./config.ts";
export { migrate } from "./database/migrate.ts";
export { isKeySource, type KeySource, readKeys } from "./key_source.ts";
export { createSealing, type Sealing } from "./sealing.ts";
export { hashSecret } from "./admission/token/client_secret.ts";
export { createApp } from "./app.ts";
export { assemble, type Assembly } from "./assembly.ts";
export { createLog } from "./operations/log.ts";
