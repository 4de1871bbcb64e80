export { openApiDocument, type OpenApiOptions } from "./document.ts";
export type { Endpoint, Json } from "./endpoint.ts";
export { ENDPOINTS, type OperationId, operationsOf, routePath } from "./endpoints.ts";
export { problemCodesOf } from "./problem_codes.ts";
