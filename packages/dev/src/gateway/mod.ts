export { type Gateway, type GatewayOptions, type GatewayPatience, startGateway } from "./start_gateway.ts";
