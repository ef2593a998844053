-- Issues work, a proof of work or effort: limits the address and its networks, counts the request, prices the work and
-- records it.
--
-- KEYS[1]  the record
-- KEYS[2]  requests of the address in the limit's window
-- KEYS[3]  requests of the address, for the price by volume
-- KEYS[4]  price in bits that the address remembers
-- KEYS[5…] requests of its /56 and its /48 in the limit's window; none for an IPv4 address
-- ARGV[1]  most requests of the address in the limit's window
-- ARGV[2]  the limit's window, milliseconds
-- ARGV[3]  most requests of its /56
-- ARGV[4]  most requests of its /48
-- ARGV[5]  how long requests are counted for the price, milliseconds
-- ARGV[6]  price before the volume is added, bits
-- ARGV[7]  highest price, bits
-- ARGV[8]  bits added per ARGV[9] requests
-- ARGV[9]  requests per increment
-- ARGV[10] 1 if the remembered price counts, 0 if a ticket names the account
-- ARGV[11] bits that the total work has beyond the price
-- ARGV[12] least bits of the total work
-- ARGV[13] most bits of the total work
-- ARGV[14] bits of the total work minus those of one part
-- ARGV[15] least lifetime, seconds
-- ARGV[16] multiple of the expected work that must fit into the lifetime; 0 if the lifetime does not grow
-- ARGV[17] hashes per second of a slow device
-- ARGV[18] the record, with {bits} and {now} in place of difficulty and time
--
-- Returns { 1, or 0 if over a limit, requests in the window, milliseconds left of it,
--           now in milliseconds, difficulty of a part in bits, lifetime in seconds }

local function count(key, window)
  local n = redis.call('INCR', key)
  if n == 1 then
    redis.call('PEXPIRE', key, window)
    return n, tonumber(window)
  end
  return n, redis.call('PTTL', key)
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local most = tonumber(ARGV[1])
local used, left = count(KEYS[2], ARGV[2])
if used > most then
  return { 0, used, left, now, 0, 0 }
end
for i = 5, #KEYS do
  local shared, shared_left = count(KEYS[i], ARGV[2])
  if shared > tonumber(ARGV[i - 2]) then
    return { 0, most + 1, shared_left, now, 0, 0 }
  end
end

local requests = count(KEYS[3], ARGV[5])
local volume = tonumber(ARGV[8]) * math.floor(requests / tonumber(ARGV[9]))
local price = math.min(tonumber(ARGV[7]), tonumber(ARGV[6]) + volume)
if ARGV[10] == '1' then
  price = math.max(price, tonumber(redis.call('GET', KEYS[4]) or 0))
end
local bits = math.min(math.max(price + tonumber(ARGV[11]), tonumber(ARGV[12])), tonumber(ARGV[13]))
local difficulty = bits - tonumber(ARGV[14])

local seconds = math.max(tonumber(ARGV[15]), math.ceil(tonumber(ARGV[16]) * 2 ^ bits / tonumber(ARGV[17])))
local fields = { bits = string.format('%d', difficulty), now = string.format('%.0f', now) }
local record = string.gsub(ARGV[18], '{(%a+)}', fields)
redis.call('SET', KEYS[1], record, 'PX', seconds * 1000)
return { 1, used, left, now, difficulty, seconds }
