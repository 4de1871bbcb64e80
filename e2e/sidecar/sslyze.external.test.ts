import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";
import { portOf } from "./visit_fixture.ts";

/** The folder into which `npm run tools -- sslyze` installs sslyze. */
const SSLYZE_FOLDER = fileURLToPath(new URL("../../.tools/sslyze", import.meta.url));
const TIMEOUT_MS = 120_000;
const SCANS = [
  ...["certinfo", "sslv2", "sslv3", "tlsv1", "tlsv1_1", "tlsv1_2", "tlsv1_3", "compression", "early_data"],
  ...["reneg", "resum", "elliptic_curves", "fallback", "heartbleed", "openssl_ccs", "robot", "ems"],
].map((scan) => `--${scan}`);

/** The part of sslyze's report that this test checks. */
interface Scan {
  readonly status: string;
  /** The members differ from scan to scan. */
  readonly result: Readonly<Record<string, unknown>>;
}

interface Deployment {
  readonly path_validation_results: readonly {
    readonly trust_store: { readonly path: string };
    readonly validation_error: string | null;
  }[];
  readonly received_chain_has_valid_order: boolean;
  readonly verified_chain_has_sha1_signature: boolean;
}

describe("sslyze, with a partner's certificate, against Envoy", () => {
  let stack: Stack;
  let scans: Record<string, Scan>;
  before(async () => {
    stack = await Stack.open({ envoy: true });
    scans = await scan(stack);
  });
  after(() => stack.close());

  it("completes every requested scan", () => {
    const unfinished = Object.entries(scans).filter(([, { status }]) => status !== "COMPLETED");
    // Expect every scan of SCANS to complete. http_headers is not in SCANS, because it checks headers that
    // only browsers use.
    assertEquals(unfinished.map(([name, { status }]) => [name, status]), [["http_headers", "NOT_SCHEDULED"]]);
  });

  it("finds only TLS 1.2 and 1.3, with forward secrecy and authenticated encryption", () => {
    const accepted = (version: string) =>
      (scans[`${version}_cipher_suites`]!.result["accepted_cipher_suites"] as {
        cipher_suite: { name: string };
      }[])
        .map(({ cipher_suite }) => cipher_suite.name).sort();
    for (const version of ["ssl_2_0", "ssl_3_0", "tls_1_0", "tls_1_1"]) {
      assertEquals(accepted(version), [], version);
    }
    assertEquals(accepted("tls_1_2"), [
      "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
      "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
      "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    ]);
    assertEquals(accepted("tls_1_3"), [
      "TLS_AES_128_GCM_SHA256",
      "TLS_AES_256_GCM_SHA384",
      "TLS_CHACHA20_POLY1305_SHA256",
    ]);
    const curves = scans["elliptic_curves"]!.result["supported_curves"] as { name: string }[];
    assertEquals(curves.map(({ name }) => name).sort(), ["X25519", "secp256r1"]);
  });

  it("finds no compression, renegotiation, resumption, early data or known vulnerability", () => {
    const found = (name: string, ...members: string[]) =>
      members.map((member) => scans[name]!.result[member]);
    assertEquals(found("tls_compression", "supports_compression"), [false]);
    assertEquals(found("tls_1_3_early_data", "supports_early_data"), [false]);
    assertEquals(found("session_renegotiation", "client_renegotiations_success_count"), [0]);
    assertEquals(
      found("session_resumption", "session_id_resumption_result", "tls_ticket_resumption_result"),
      ["NOT_SUPPORTED", "NOT_SUPPORTED"],
    );
    assertEquals(found("heartbleed", "is_vulnerable_to_heartbleed"), [false]);
    assertEquals(found("openssl_ccs_injection", "is_vulnerable_to_ccs_injection"), [false]);
    assertEquals(found("robot", "robot_result"), ["NOT_VULNERABLE_RSA_NOT_SUPPORTED"]);
    assertEquals(found("tls_fallback_scsv", "supports_fallback_scsv"), [true]);
    assertEquals(found("tls_extended_master_secret", "supports_ems_extension"), [true]);
  });

  it("finds no fault in the server certificate, except that its CA is private", () => {
    const deployments = scans["certificate_info"]!.result["certificate_deployments"] as Deployment[];
    assertEquals(deployments.length, 1);
    const { path_validation_results: paths, ...deployment } = deployments[0]!;
    const trusting = paths.filter(({ validation_error }) => validation_error === null);
    assertEquals(trusting.map(({ trust_store }) => trust_store.path), [stack.running.credentials.ca]);
    assertEquals([deployment.received_chain_has_valid_order, deployment.verified_chain_has_sha1_signature], [
      true,
      false,
    ]);
  });
});

/** Runs sslyze against Envoy and returns its report, keyed by scan. */
async function scan(stack: Stack): Promise<Record<string, Scan>> {
  const { ca, cert, key } = stack.running.credentials;
  const report = stack.running.state.path("sslyze.json");
  const args = [
    "-W",
    "ignore",
    "-m",
    "sslyze",
    "--quiet",
    "--mozilla_config",
    "disable",
    "--json_out",
    report,
  ];
  const credentials = ["--cert", cert, "--key", key, "--certinfo_ca_file", ca];
  const child = spawn("python3", [...args, ...credentials, ...SCANS, `localhost:${portOf(stack)}`], {
    cwd: SSLYZE_FOLDER,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: TIMEOUT_MS,
  });
  let said = "";
  child.stderr!.setEncoding("utf8").on("data", (part: string) => said += part);
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const text = await readFile(report, "utf8").catch(() => undefined);
  if (text === undefined) {
    throw new Error(
      `sslyze exited with ${code} and wrote no report. To install sslyze, run: node tools/run.mjs tools sslyze. It printed: ${said}`,
    );
  }
  const [result] = (JSON.parse(text) as { server_scan_results: { scan_result: Record<string, Scan> }[] })
    .server_scan_results;
  return result!.scan_result;
}
