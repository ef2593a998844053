-- Forgets what a success makes needless: the price that the address remembers and, at most once in a while, its requests.
-- An own account must not keep its address cheap.
--
-- KEYS[1] the mark that the requests were forgotten lately
-- KEYS[2] requests of the address, for the price by volume
-- KEYS[3] price in bits that the address remembers of an account
-- ARGV[1] how long the mark lives, milliseconds
--
-- Returns 1 when the requests were forgotten now

redis.call('DEL', KEYS[3])
if redis.call('SET', KEYS[1], '1', 'PX', ARGV[1], 'NX') then
  redis.call('DEL', KEYS[2])
  return 1
end
return 0
