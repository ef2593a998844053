-- Makes an address remember the price of the next attempt on an account, for clients that send no ticket.
--
-- KEYS[1] the price in bits that the address remembers
-- ARGV[1] the account's next price, bits
-- ARGV[2] how long it is remembered, milliseconds
--
-- Returns the remembered price: the highest of several accounts

local price = math.max(tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]) or 0))
-- Redis without free memory runs a script only if its first write needs none.
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], string.format('%d', price), 'PX', ARGV[2])
return price
