-- Forgets an address's requests, at most once in a while: an own account must not keep its address cheap.
--
-- KEYS[1] the mark that it was done lately
-- KEYS[2] requests of the address, for the price by volume
-- ARGV[1] how long the mark lives, milliseconds
--
-- Returns 1 when it was done now

if redis.call('SET', KEYS[1], '1', 'PX', ARGV[1], 'NX') then
  redis.call('DEL', KEYS[2])
  return 1
end
return 0
