import { join } from "node:path";
import type { SidecarConfig } from "../settings.ts";
import { TRUST_FILE } from "../trust/trust_folder.ts";
import { type Message, typed, watchedFile } from "./any.ts";

const TLS = "envoy.extensions.transport_sockets.tls.v3";
const SERVER_CERTIFICATE_FILE = "server_certificate.json";

/**
 * Configures mutual TLS. Envoy reads its own certificate and the trusted CAs from files that may be replaced
 * while it runs.
 */
export function mutualTls(config: SidecarConfig): Message {
  return {
    name: "envoy.transport_sockets.tls",
    typed_config: typed(`${TLS}.DownstreamTlsContext`, {
      require_client_certificate: true,
      // Never resume a session, because that would admit a certificate without checking its expiry or the
      // revocation list.
      disable_stateless_session_resumption: true,
      disable_stateful_session_resumption: true,
      common_tls_context: {
        alpn_protocols: ["h2", "http/1.1"],
        tls_params: {
          tls_minimum_protocol_version: "TLSv1_2",
          tls_maximum_protocol_version: "TLSv1_3",
          // For TLS 1.2. All cipher suites of TLS 1.3 are secure.
          cipher_suites: [
            "[ECDHE-ECDSA-AES128-GCM-SHA256|ECDHE-ECDSA-CHACHA20-POLY1305]",
            "ECDHE-ECDSA-AES256-GCM-SHA384",
          ],
          ecdh_curves: ["X25519", "P-256"],
          // Refuses RSA certificates of both sides.
          signature_algorithms: ["ecdsa_secp256r1_sha256", "ecdsa_secp384r1_sha384"],
        },
        tls_certificate_sds_secret_configs: [
          watchedSecret("server_certificate", config.configDirectory, SERVER_CERTIFICATE_FILE),
        ],
        validation_context_sds_secret_config: watchedSecret("trust", config.trustDirectory, TRUST_FILE),
      },
    }),
  };
}

const watchedSecret = (name: string, directory: string, file: string): Message => ({
  name,
  sds_config: watchedFile(directory, file),
});

/**
 * The server's certificate is named in a separate secret file, because Envoy reloads a replaced certificate
 * only in this form.
 */
export function serverCertificate(
  { serverCertificateDirectory: directory }: SidecarConfig,
): [string, Message] {
  const secret = typed(`${TLS}.Secret`, {
    name: "server_certificate",
    tls_certificate: {
      certificate_chain: { filename: join(directory, "tls.crt") },
      private_key: { filename: join(directory, "tls.key") },
      watched_directory: { path: directory },
    },
  });
  return [SERVER_CERTIFICATE_FILE, { resources: [secret] }];
}
