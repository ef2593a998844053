#!/bin/sh
# Starts a Sentinel for both stores; a failover needs two of three.
#   sentinel.sh OWN_HOST SESSION_STORE_HOST CHALLENGE_STORE_HOST
#
# Its state is stored in DATA/sentinel.conf. SECRETS has the file `sentinel_password`.
set -eu
own=$1
data=${DATA:-/data}
secrets=${SECRETS:-/run/secrets}
port=${PORT:-26379}

# watch NAME HOST PORT
watch() {
  echo "sentinel monitor $1 $2 $3 2"
  echo "sentinel auth-user $1 sentinel"
  echo "sentinel auth-pass $1 $(cat "$secrets/sentinel_password")"
  echo "sentinel down-after-milliseconds $1 1500"
  echo "sentinel failover-timeout $1 10000"
  echo "sentinel parallel-syncs $1 1"
}

if [ ! -e "$data/sentinel.conf" ]; then
  {
    echo "port $port"
    echo "bind ${BIND:-*}"
    echo "dir $data"
    # Reachable only for containers of these networks.
    echo "protected-mode no"
    echo "sentinel resolve-hostnames yes"
    echo "sentinel announce-hostnames yes"
    echo "sentinel announce-ip $own"
    echo "sentinel announce-port $port"
    watch sessions "$2" "${SESSION_STORE_PORT:-6379}"
    watch challenges "$3" "${CHALLENGE_STORE_PORT:-6379}"
  } > "$data/.sentinel.conf"
  chmod 0600 "$data/.sentinel.conf"
  mv "$data/.sentinel.conf" "$data/sentinel.conf"
fi
exec redis-server "$data/sentinel.conf" --sentinel
