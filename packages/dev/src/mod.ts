/** npm start, and its parts for the tests and proofs of the whole stack. */
export {
  type Authorities,
  ensureAuthorities,
  newServerAuthority,
  type ServerCertificate,
} from "./authorities.ts";
export { type Child, ROOT, startChild } from "./child.ts";
export { createDatabase, type Database, ensureOperators, openDatabase, urlsAt } from "./database.ts";
export { runDemo } from "./demo.ts";
export { fetchEnvoy } from "./tls_proxy.ts";
export { openDocs } from "./docs/docs_server.ts";
export { readyText } from "./ready_text.ts";
export { type GatewayTimeouts, startGateway } from "./gateway/start_gateway.ts";
export { asOperator, asOperatorFrom, type Operator } from "./operator.ts";
export { type Credentials, onboard } from "./partner.ts";
export { newKeyFiles, writeCsr } from "./partner_keys.ts";
export { awaitReady } from "./ready.ts";
export { type Running, type StartOptions } from "./running.ts";
export { start } from "./start.ts";
export { openState, type State } from "./state.ts";
