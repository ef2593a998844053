-- Withdraws one counted attempt.
--
-- KEYS    failures of the account, and optionally of its pair with an address
-- ARGV[1] the claim of the attempt
--
-- Returns how many entries were removed

local removed = 0
for _, key in ipairs(KEYS) do
  removed = removed + redis.call('ZREM', key, ARGV[1])
end
return removed
