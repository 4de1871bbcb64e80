import { extension, type Message } from "./any.ts";
import { PLAIN_REFUSAL } from "./grpc.ts";

/** The request header that marks a request above the flood limit. Clients cannot send it. */
export const FLOOD_HEADER = "x-gold-flood";
const DELAY_HEADER = "x-envoy-fault-delay-request";
const ABORT_HEADER = "x-envoy-fault-abort-request";

/**
 * Refuses the excess of a flood: requests above the flood limit, and those that the service asked Envoy to
 * refuse. The service asks with the header x-gold-pace of a refusal, such as `3000 28 other Hash=…`: for
 * 3000 ms, let 28 of this certificate's requests that are no orders pass in each 50 ms. Each refusal renews the
 * time, so the pace holds until the flood ends. The flood then takes neither the connections to the service nor
 * its time.
 *
 * Ten refusals in each 50 ms come at once, and the others after one to two seconds. If all came at once, a flood
 * on a few HTTP/2 connections would get some ten thousand refusals a second. Reading that many requests delays
 * those of other partners in Envoy.
 */
const SOURCE = `${PLAIN_REFUSAL}
local WINDOW_MS, AT_ONCE = 50, 10
local DELAY_MIN_MS, DELAY_MAX_MS, BEAT_MS = 1000, 2000, 20
local paces = {}
local function refuse(handle, headers, at_once)
  local delay = at_once and 0 or math.random(DELAY_MIN_MS, DELAY_MAX_MS)
  if delay > 0 then
    -- Several replies of a connection leave together, which costs less.
    delay = delay - (tonumber(handle:timestamp()) + delay) % BEAT_MS
    headers:replace("${DELAY_HEADER}", string.format("%d", delay))
  end
  headers:replace("${ABORT_HEADER}", "429")
end
function envoy_on_request(handle)
  local headers = handle:headers()
  if headers:get("${FLOOD_HEADER}") ~= nil then return refuse(handle, headers) end
  if next(paces) == nil then return end
  local isOrder = headers:get(":method") == "POST" and headers:get(":path") == "/v1/orders"
  local name = (isOrder and "order " or "other ") .. (headers:get("x-forwarded-client-cert") or "")
  local pace = paces[name]
  if pace == nil then return end
  local now = tonumber(handle:timestamp())
  if now >= pace.ends then
    paces[name] = nil
    return
  end
  if now >= pace.window_ends then
    pace.window_ends = now + WINDOW_MS
    pace.left = pace.count
    pace.refused = 0
  end
  if pace.left > 0 then
    pace.left = pace.left - 1
    return
  end
  pace.ends = now + pace.milliseconds
  handle:streamInfo():dynamicMetadata():set("gold.pace", "policy", pace.policy)
  handle:streamInfo():dynamicMetadata():set("gold.pace", "limit", pace.limit)
  pace.refused = pace.refused + 1
  refuse(handle, headers, pace.refused <= AT_ONCE)
end
function envoy_on_response(handle)
  local headers = handle:headers()
  local status = headers:get(":status")
  if status == "200" or status == "201" then
    local message = headers:get("grpc-message")
    if message ~= nil then make_plain(handle, headers, message) end
    return
  end
  local asked = headers:get("x-gold-pace")
  if asked == nil then
    if status ~= "429" then return end
    local paced = handle:streamInfo():dynamicMetadata():get("gold.pace")
    if paced == nil then return end
    headers:replace("ratelimit-policy", paced.policy)
    headers:replace("ratelimit", paced.limit)
    return
  end
  headers:remove("x-gold-pace")
  local milliseconds, count, name = asked:match("^(%d+) (%d+) (.+)$")
  if name == nil then return end
  local now = tonumber(handle:timestamp())
  local before = paces[name]
  paces[name] = {
    milliseconds = tonumber(milliseconds),
    ends = now + tonumber(milliseconds),
    count = tonumber(count),
    policy = headers:get("ratelimit-policy"),
    limit = headers:get("ratelimit"),
    window_ends = before and before.window_ends or now + WINDOW_MS,
    left = before and before.left or 0,
    refused = before and before.refused or 0,
  }
end
`;

/** The filters that refuse, and that give Envoy's refusals their form. */
export const REFUSALS: readonly Message[] = [
  extension("envoy.filters.http.lua", "envoy.extensions.filters.http.lua.v3.Lua", {
    default_source_code: { inline_string: SOURCE },
  }),
  extension("envoy.filters.http.fault", "envoy.extensions.filters.http.fault.v3.HTTPFault", {
    delay: { header_delay: {}, percentage: { numerator: 100 } },
    abort: { header_abort: {}, percentage: { numerator: 100 } },
  }),
];
