-- Clears an address after a success: the price that it remembers and, at most once in a while, its requests, so that
-- nobody keeps an address cheap with an account of their own.
--
-- KEYS[1] exists if the requests were cleared recently
-- KEYS[2] requests of the address, for the price by volume
-- KEYS[3] price in bits that the address remembers
-- ARGV[1] how long KEYS[1] lives, milliseconds
--
-- Returns 1 if it cleared the requests, else 0

redis.call('DEL', KEYS[3])
if redis.call('SET', KEYS[1], '1', 'PX', ARGV[1], 'NX') then
  redis.call('DEL', KEYS[2])
  return 1
end
return 0
