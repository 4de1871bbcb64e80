import { extension, type Message } from "./any.ts";
import { PLAIN_REFUSAL } from "./grpc.ts";

/** The request header that marks a request above the flood limit. Clients cannot send it. */
export const FLOOD_HEADER = "x-gold-flood";
const DELAY_HEADER = "x-envoy-fault-delay-request";
const ABORT_HEADER = "x-envoy-fault-abort-request";

/**
 * Refuses the excess of a flood: requests above the flood limit, and those that the service asked Envoy to
 * refuse. The service asks with the header x-gold-pace of a refusal, such as `3000 560 other a1b2 Hash=…`: for
 * 3000 ms, let 560 of this certificate's requests a second pass that are no orders. The flood then takes neither
 * the connections to the service nor its time. `1000 72 quote a1b2 Hash=…` limits the quotes alone while the
 * service is overloaded; the excess gets 503. The fourth word names the process of the service: each process
 * states how many quotes it serves itself, so the paces of all processes add up.
 *
 * Only the service renews a pace. Enough requests pass to show it that the flood continues, and it knows when
 * the partner has recovered or can be served faster.
 *
 * In each 50 ms, ten refusals come at once, or 50 of quotes, and the others after one to two seconds. If all came
 * at once, a flood on a few HTTP/2 connections would get some ten thousand refusals a second. Reading that many
 * requests delays those of other partners in Envoy.
 */
const SOURCE = `${PLAIN_REFUSAL}
local WINDOW_MS, AT_ONCE, QUOTES_AT_ONCE = 50, 10, 50
local DELAY_MIN_MS, DELAY_MAX_MS, BEAT_MS = 1000, 2000, 20
local RETURN_MAX_SECONDS = 4
local paces = {}
local function refuse(handle, headers, at_once, status)
  -- Without a delay, Envoy would answer before it reads the body, and then close a connection of HTTP/1.1.
  local delay = 1
  if not at_once then
    -- Several replies of a connection leave together, which costs less.
    delay = math.random(DELAY_MIN_MS, DELAY_MAX_MS)
    delay = delay - (tonumber(handle:timestamp()) + delay) % BEAT_MS
  end
  headers:replace("${DELAY_HEADER}", string.format("%d", delay))
  headers:replace("${ABORT_HEADER}", status)
end
-- Returns the pace that holds for these requests of a certificate, if there is one.
local function find(name, now)
  local pace = paces[name]
  if pace == nil or now < pace.ends then return pace end
  paces[name] = nil
end
function envoy_on_request(handle)
  local headers = handle:headers()
  if headers:get("${FLOOD_HEADER}") ~= nil then return refuse(handle, headers, false, "429") end
  if next(paces) == nil then return end
  local target = headers:get(":method") == "POST" and headers:get(":path")
  local certificate = headers:get("x-forwarded-client-cert") or ""
  local now = tonumber(handle:timestamp())
  local quotes = target == "/v1/quotes" and find("quote " .. certificate, now)
  local pace = quotes or find((target == "/v1/orders" and "order " or "other ") .. certificate, now)
  if not pace then return end
  local most = math.max(1, pace.per_second * WINDOW_MS / 1000)
  pace.left = math.min(most, pace.left + (now - pace.counted) * pace.per_second / 1000)
  pace.counted = now
  if pace.left >= 1 then
    pace.left = pace.left - 1
    return
  end
  if now >= pace.window_ends then
    pace.window_ends = now + WINDOW_MS
    pace.refused = 0
  end
  pace.refused = pace.refused + 1
  local metadata = handle:streamInfo():dynamicMetadata()
  if quotes then
    metadata:set("gold.pace", "seconds", string.format("%d", 1 + pace.refused % RETURN_MAX_SECONDS))
    return refuse(handle, headers, pace.refused <= QUOTES_AT_ONCE, "503")
  end
  metadata:set("gold.pace", "policy", pace.policy)
  metadata:set("gold.pace", "limit", pace.limit)
  refuse(handle, headers, pace.refused <= AT_ONCE, "429")
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
    if status ~= "429" and status ~= "503" then return end
    local paced = handle:streamInfo():dynamicMetadata():get("gold.pace")
    if paced == nil then return end
    if paced.seconds ~= nil then return headers:replace("retry-after", paced.seconds) end
    headers:replace("ratelimit-policy", paced.policy)
    headers:replace("ratelimit", paced.limit)
    return
  end
  headers:remove("x-gold-pace")
  local milliseconds, per_second, kind, process, certificate = asked:match("^(%d+) (%d+) (%w+) (%w+) (.+)$")
  if certificate == nil then return end
  local now = tonumber(handle:timestamp())
  local name = kind .. " " .. certificate
  local before = paces[name]
  local parts = before and before.parts or {}
  parts[process] = { ends = now + tonumber(milliseconds), per_second = tonumber(per_second) }
  local total = parts[process].per_second
  if kind == "quote" then
    for other, part in pairs(parts) do
      if part.ends <= now then parts[other] = nil
      elseif other ~= process then total = total + part.per_second end
    end
  end
  paces[name] = {
    ends = parts[process].ends,
    per_second = total,
    parts = parts,
    policy = headers:get("ratelimit-policy"),
    limit = headers:get("ratelimit"),
    left = before and before.left or 0,
    counted = before and before.counted or now,
    window_ends = before and before.window_ends or now + WINDOW_MS,
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
