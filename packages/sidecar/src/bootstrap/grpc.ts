import { extension, type Message } from "./any.ts";

/**
 * Converts one of Envoy's own replies from gRPC's form back to a plain HTTP reply. The problem's body gives
 * the status. An OAuth error body has no status, so its reply gets 400.
 */
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
 * If a request has the media type application/grpc, Envoy refuses it with status 200 and the problem in a
 * header. No setting of Envoy changes that. This filter restores the status, because a refusal must not look
 * like a success.
 */
export const PLAIN_REFUSALS: Message = extension(
  "envoy.filters.http.lua",
  "envoy.extensions.filters.http.lua.v3.Lua",
  {
    default_source_code: { inline_string: SOURCE },
  },
);
