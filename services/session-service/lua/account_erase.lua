-- Removes the events of an account from a list; those of other accounts, and of other users of this one, stay.
--
-- KEYS[1]    list of events (src/domain/account-event.ts)
-- ARGV[1]    pseudonym of the account
-- ARGV[...]  ids of the users; an event without a user belongs to the account
-- Returns    number of removed events

local mine = { ['-'] = true }
for i = 2, #ARGV do mine[ARGV[i]] = true end

local removed = 0
for _, line in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local account, uid = line:match('^%d+ %S+ (%S+) %S+ (%S+)')
  if account == ARGV[1] and mine[uid] then
    removed = removed + redis.call('LREM', KEYS[1], 1, line)
  end
end
return removed
