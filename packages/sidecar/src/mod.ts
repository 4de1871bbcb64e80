export { ENVOY_PART, type EnvoyOptions, type EnvoyProcess, startEnvoy } from "./envoy_process.ts";
export { readSidecarConfig, type SidecarConfig } from "./settings.ts";
export { syncTrust, type TrustSync, type TrustSyncOptions, writeTrustOnce } from "./trust/trust_sync.ts";
export { TRUST_FILE, writeTrust } from "./trust/trust_folder.ts";
export { readAuthorities, type TrustedAuthorities } from "./trust/authority.ts";
