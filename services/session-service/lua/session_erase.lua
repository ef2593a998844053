-- Removes the sessions of a user and the notes of ended ones, without a new note.
--
-- KEYS[1]  sessions of the user: hash, session id -> record (src/domain/session-record.ts)
-- KEYS[2]  how the user's sessions ended: list (src/domain/session-end.ts)
-- Returns  { number of sessions, number of notes }

local counts = { redis.call('HLEN', KEYS[1]), redis.call('LLEN', KEYS[2]) }
redis.call('DEL', KEYS[1], KEYS[2])
return counts
