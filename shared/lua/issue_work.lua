-- Issues work, a proof of work or effort: limits the address and its networks, counts the request, prices the work and
-- records it.
--
-- KEYS[1]  the record
-- KEYS[2]  requests of the address in the limit's window
-- KEYS[3]  requests of the address, for the price by volume
-- KEYS[4]  price in bits that the address remembers
-- KEYS[5…] requests of its /56 and its /48 in the limit's window; none for an IPv4 address
-- ARGV[1]  a JSON list of numbers, because the client takes longer to write 17 arguments than one:
--            most requests of the address in the limit's window
--            the limit's window, milliseconds
--            most requests of its /56
--            most requests of its /48
--            how long requests are counted for the price, milliseconds
--            price before the volume is added, bits
--            highest price, bits
--            bits added per increment of the volume
--            requests per increment
--            1 if the remembered price counts, 0 if a ticket names the account
--            bits that the total work has beyond the price
--            least bits of the total work
--            most bits of the total work
--            bits of the total work minus those of one part
--            least lifetime, seconds
--            multiple of the expected work that must fit into the lifetime; 0 if the lifetime does not grow
--            hashes per second of a slow device
-- ARGV[2]  the record of a proof of work after difficulty and time, or of effort between time and difficulty
-- ARGV[3]  the record of effort after the difficulty; missing for a proof of work
--
-- Returns { 1, or 0 if over a limit, requests in the window, milliseconds left of it,
--           now in milliseconds, difficulty of a part in bits, lifetime in seconds }

local most, window, most_56, most_48, volume_window, floor, ceiling, volume_step, volume_every, remembers,
  extra_bits, least_bits, most_bits, part_bits, least_seconds, spread, hash_rate = unpack(cjson.decode(ARGV[1]))

local function count(key, milliseconds)
  local n = redis.call('INCR', key)
  if n == 1 then
    redis.call('PEXPIRE', key, milliseconds)
    return n, milliseconds
  end
  return n, redis.call('PTTL', key)
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local used, left = count(KEYS[2], window)
if used > most then
  return { 0, used, left, now, 0, 0 }
end
for i = 5, #KEYS do
  local shared, shared_left = count(KEYS[i], window)
  if shared > (i == 5 and most_56 or most_48) then
    return { 0, most + 1, shared_left, now, 0, 0 }
  end
end

local requests = count(KEYS[3], volume_window)
local price = math.min(ceiling, floor + volume_step * math.floor(requests / volume_every))
if remembers == 1 then
  price = math.max(price, tonumber(redis.call('GET', KEYS[4]) or 0))
end
local bits = math.min(math.max(price + extra_bits, least_bits), most_bits)
local difficulty = bits - part_bits

local seconds = math.max(least_seconds, math.ceil(spread * 2 ^ bits / hash_rate))
local issued = string.format('%.0f', now)
local record = ARGV[3] and issued .. ' ' .. ARGV[2] .. difficulty .. ARGV[3] or difficulty .. ' ' .. issued .. ' ' .. ARGV[2]
redis.call('SET', KEYS[1], record, 'PX', seconds * 1000)
return { 1, used, left, now, difficulty, seconds }
