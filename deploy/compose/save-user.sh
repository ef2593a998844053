#!/bin/sh
# Adds an account to the running system of docker-compose.yml, or gives an existing one another password.
#   sh deploy/compose/save-user.sh EMAIL [OPTIONS OF docker compose, such as -f FILE]
# The password is asked for on the terminal, or read from the first line of the input. It reaches no command line.
set -eu
email=${1:?usage: save-user.sh EMAIL}
shift
cd "$(dirname "$0")/../.."

if [ -t 0 ]; then
  printf 'Password: ' >&2
  trap 'stty echo' EXIT
  stty -echo
fi
IFS= read -r password
if [ -t 0 ]; then
  stty echo
  trap - EXIT
  echo >&2
fi
hash=$(printf '%s\n' "$password" |
  docker compose "$@" exec -T session-service node services/session-service/dist/src/cli/hash-password.js)
docker compose "$@" exec -T directory psql --username postgres --dbname tollgate --quiet \
  --set "email=$email" --set "hash=$hash" < deploy/compose/save-user.sql
echo "$email can sign in."
