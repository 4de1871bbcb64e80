import { extension, type Message } from "./any.ts";

/** Finds a local reply in gRPC's form and gives it back its own. OAuth's form does not say its status: 400 is what it has there. */
const SOURCE = `
function envoy_on_response(handle)
  local headers = handle:headers()
  local message = headers:get("grpc-message")
  if message == nil then return end
  local problem = message:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  local status = problem:match('"status":(%d+)')
  headers:replace(":status", status or "400")
  headers:replace("content-type", status and "application/problem+json" or "application/json")
  headers:remove("grpc-status")
  headers:remove("grpc-message")
  handle:body(true):setBytes(problem)
end
`;

/**
 * Whoever calls a body application/grpc gets Envoy's refusals as status 200 with the problem in a header, and no setting
 * changes that; but nothing that is refused may look like a success.
 */
export const PLAIN_REFUSALS: Message = extension(
  "envoy.filters.http.lua",
  "envoy.extensions.filters.http.lua.v3.Lua",
  {
    default_source_code: { inline_string: SOURCE },
  },
);
