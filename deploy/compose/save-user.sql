-- Adds the account :email with the password hash :hash, or replaces the hash of an existing one.
\set ON_ERROR_STOP on
INSERT INTO users (email, hash) VALUES (btrim(:'email'), :'hash')
  ON CONFLICT (lower(normalize(email, NFKC))) DO UPDATE SET hash = excluded.hash;
