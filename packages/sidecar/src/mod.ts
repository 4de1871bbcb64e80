export { ENVOY_PART, type EnvoyOptions, type EnvoyProcess, startEnvoy } from "./envoy_process.ts";
export { readSidecarConfig, type SidecarConfig } from "./settings.ts";
export { type Keeper, type KeeperOptions, keepTrust, writeTrustOnce } from "./trust/keeper.ts";
export { writeTrust } from "./trust/trust_folder.ts";
export { readAuthorities, type TrustedAuthorities } from "./trust/authority.ts";
