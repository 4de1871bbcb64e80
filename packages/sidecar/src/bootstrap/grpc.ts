/**
 * If a request has the media type application/grpc, Envoy refuses it with status 200 and the problem in a
 * header. No setting of Envoy changes that. This function restores the status, because a refusal must not look
 * like a success. The problem's body gives the status. An OAuth error body has no status, so its reply gets 400.
 */
export const PLAIN_REFUSAL = `
local function make_plain(handle, headers, message)
  local problem = message:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  local status = problem:match('"status":(%d+)')
  headers:replace(":status", status or "400")
  headers:replace("content-type", status and "application/problem+json" or "application/json")
  headers:remove("grpc-status")
  headers:remove("grpc-message")
  handle:body(true):setBytes(problem)
end
`;
