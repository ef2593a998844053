-- Remembers for an address what the next attempt on an account costs, for clients that send no ticket.
--
-- KEYS[1] the price in bits that the address remembers
-- ARGV[1] the account's next price, bits
-- ARGV[2] how long it is remembered, milliseconds
--
-- Returns the price that is remembered now: the highest of several accounts

local price = math.max(tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]) or 0))
-- A first write that needs no memory, without which a server out of memory would refuse the next.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], string.format('%d', price), 'PX', ARGV[2])
return price
