import type { ChangeReply } from "../../schema/mod.ts";
import { ID, INSTANT } from "./example_values.ts";

const CERTIFICATE_REQUEST = "-----BEGIN CERTIFICATE REQUEST-----\n" +
  "MIH1MIGcAgEAMDoxFTATBgNVBAoMDEV4YW1wbGUgQmFuazEhMB8GA1UEAwwYc2J4\n" +
  "X2sybTdxNHg5dDN2OG41cjZiMmhkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n" +
  "fk21HhNiMBtcMR6bBsDnADR0ywYEv4tLWAt43Da44qa1AcKUmOvxs5g1ud4WeQJj\n" +
  "53AZN2jbfE9uO3UNXg94PKAAMAoGCCqGSM49BAMCA0gAMEUCIQDpLCCLIq/w/vt6\n" +
  "2LopOjLIMoHrGDJDB5pkDqCbnAeFswIgIDgV6B5R+TS+xbzsd0BBxiPUSUccXurq\n" +
  "rs7yE2k2pmg=\n" +
  "-----END CERTIFICATE REQUEST-----\n";

export const CHANGE_REQUESTS = {
  signing_key: {
    // The public key of RFC 7517, A.1.
    signing_key: {
      kty: "EC",
      crv: "P-256",
      x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
      y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
      kid: "hsm-2",
    },
  },
  certificate_request: { certificate_request: CERTIFICATE_REQUEST },
  ip_range: { ip_range: "203.0.113.0/24" },
} as const;

const requested = (change_id: string, kind: string, requested_at: string) => ({
  change_id,
  kind,
  status: "requested",
  requested_at,
  decided_at: null,
  reason: null,
  certificate: null,
});

export const CHANGES = {
  signing_key: {
    ...requested(ID.change, "signing_key", INSTANT.keyRequested),
    ...CHANGE_REQUESTS.signing_key,
  },
  certificate_request: {
    ...requested(ID.certificateChange, "certificate_request", INSTANT.certificateRequested),
    ...CHANGE_REQUESTS.certificate_request,
  },
  ip_range: {
    ...requested(ID.rangeChange, "ip_range", INSTANT.rangeRequested),
    ...CHANGE_REQUESTS.ip_range,
  },
} satisfies Record<string, ChangeReply>;
