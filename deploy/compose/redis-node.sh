#!/bin/sh
# Starts a Redis monitored by Sentinels: the first one as master, the others as its replicas.
#   redis-node.sh OWN_HOST FIRST_HOST
#
# Sentinels' changes are stored in DATA/redis.conf, so that a server keeps its role after a restart. SECRETS has the files
# `store_acl` and `replication_password`.
set -eu
own=$1
first=$2
data=${DATA:-/data}
secrets=${SECRETS:-/run/secrets}
port=${PORT:-6379}

if [ ! -e "$data/redis.conf" ]; then
  {
    echo "port $port"
    echo "bind ${BIND:-*}"
    echo "dir $data"
    echo "aclfile $secrets/store_acl"
    # Without a password, a client may only PING and start a rewrite, as `maintenance`.
    echo "protected-mode no"
    echo "appendonly yes"
    echo "auto-aof-rewrite-percentage 50"
    echo "auto-aof-rewrite-min-size 8mb"
    echo 'save ""'
    echo "maxmemory 256mb"
    echo "maxmemory-policy noeviction"
    echo "masteruser replication"
    echo "masterauth $(cat "$secrets/replication_password")"
    echo "replica-announce-ip $own"
    echo "replica-announce-port $port"
    # An isolated master rejects writes, which would be lost. Until then it accepts some, so the lag is about the time after
    # which it is replaced.
    echo "min-replicas-to-write 1"
    echo "min-replicas-max-lag 2"
    if [ "$own" != "$first" ]; then echo "replicaof $first ${FIRST_PORT:-6379}"; fi
  } > "$data/.redis.conf"
  chmod 0600 "$data/.redis.conf"
  mv "$data/.redis.conf" "$data/redis.conf"
fi
# Rewrites the append-only file twice a day, so that erased data leaves it.
while sleep 43200; do redis-cli -p "$port" --user maintenance --pass none bgrewriteaof; done > /dev/null 2>&1 &
exec redis-server "$data/redis.conf"
