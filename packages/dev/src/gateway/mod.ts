/** Terminates mutual TLS in front of the service on one machine, as Envoy does in production. */
export { type Gateway, type GatewayOptions, type GatewayTimeouts, startGateway } from "./start_gateway.ts";
