-- The directory of users of docker-compose.yml. Runs once, when the database is made.
--
-- session-service signs in as `tollgate`, which finds users and replaces old hashes, and can do nothing else.
\set ON_ERROR_STOP on
\set password `cat "$DIRECTORY_PASSWORD_FILE"`

CREATE TABLE users (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email text NOT NULL,
  -- argon2id, scrypt or bcrypt; null: no password
  hash text,
  disabled boolean NOT NULL DEFAULT false
);
-- One account for an address, however it is written. The statements of session-service search by the same expression.
CREATE UNIQUE INDEX users_account_key ON users (lower(normalize(email, NFKC)));

CREATE ROLE tollgate LOGIN PASSWORD :'password';
GRANT SELECT, UPDATE (hash) ON users TO tollgate;
