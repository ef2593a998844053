-- User directory of docker-compose.yml. Runs once, when the database is created.
--
-- session-service connects as `tollgate`, which may only find users and replace old hashes.
\set ON_ERROR_STOP on
\set password `cat "$DIRECTORY_PASSWORD_FILE"`

CREATE TABLE users (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email text NOT NULL,
  -- argon2id, scrypt or bcrypt; null: no password
  hash text,
  disabled boolean NOT NULL DEFAULT false
);
-- One account per address in any spelling. session-service's queries use the same expression.
CREATE UNIQUE INDEX users_account_key ON users (lower(normalize(email, NFKC)));

CREATE ROLE tollgate LOGIN PASSWORD :'password';
GRANT SELECT, UPDATE (hash) ON users TO tollgate;
