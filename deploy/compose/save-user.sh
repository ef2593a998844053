#!/bin/sh
# Adds an account to the running system of docker-compose.yml, or changes an existing account's password.
#   sh deploy/compose/save-user.sh EMAIL [OPTIONS OF docker compose, such as -f FILE]
# Prompts for the password on a terminal, otherwise reads the first line of stdin. The password is on no command line.
set -eu
email=${1:?usage: save-user.sh EMAIL}
shift
cd "$(dirname "$0")/../.."

if [ -t 0 ]; then
  # Some shells do not run the trap of EXIT when a signal ends them.
  trap 'stty echo' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  stty -echo
  printf 'Password: ' >&2
fi
IFS= read -r password
if [ -t 0 ]; then
  stty echo
  trap - EXIT INT TERM
  echo >&2
fi
hash=$(printf '%s\n' "$password" |
  docker compose "$@" exec -T session-service node services/session-service/dist/src/cli/hash-password.js)
docker compose "$@" exec -T directory psql --username postgres --dbname tollgate --quiet \
  --set "email=$email" --set "hash=$hash" < deploy/compose/save-user.sql
echo "$email can log in."
