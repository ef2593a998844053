#!/bin/sh
# Creates the missing secrets of docker-compose.yml in the folder `secrets` beside it.
#   sh deploy/compose/make-secrets.sh [FOLDER]
#
# Only the owner can open the folder; its files are readable, because containers run as a user unknown to the machine and
# mount single files.
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-secrets}
umask 022
mkdir -p "$folder"
chmod 0700 "$folder"
cd "$folder"

# write NAME: writes stdin to the file NAME unless it exists.
write() {
  if [ -e "$1" ]; then
    cat > /dev/null
  else
    cat > ".$1"
    chmod 0444 ".$1"
    mv ".$1" "$1"
    echo "made $folder/$1" >&2
  fi
}

random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

sha256() {
  if command -v sha256sum > /dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

for name in access_secret refresh_secret encryption_key challenge_secret session_api_key host_api_key \
  session_store_password challenge_store_password replication_password sentinel_password \
  directory_password directory_admin_password; do
  random | write "$name"
done

# Redis users: the services, which run scripts and inspect the server; the container's own commands, without a password;
# replicas; Sentinels. Nobody can log in as `default`, but it needs all permissions: Redis loads its append-only file as this
# user, and would discard what scripts have written (redis issue 14541).
acl() {
  password=$(sha256 < "$1_store_password")
  replication=$(sha256 < replication_password)
  sentinel=$(sha256 < sentinel_password)
  {
    echo "user default off resetpass ~* &* +@all"
    echo "user maintenance on nopass resetkeys resetchannels -@all +ping +bgrewriteaof"
    echo "user tollgate on #$password ~* &* +@all -@admin -@dangerous -@scripting +eval +evalsha +info +role" \
      "+config|get +bgrewriteaof"
    echo "user replication on #$replication resetkeys resetchannels -@all +psync +replconf +ping"
    echo "user sentinel on #$sentinel resetkeys &* -@all +multi +exec +slaveof +replicaof +ping +info +role +publish" \
      "+subscribe +psubscribe +config|rewrite +client|setname +client|kill +script|kill"
  } | write "$1_store_acl"
}
acl session
acl challenge

echo "redis://tollgate:$(cat session_store_password)@session-store:6379" | write session_store_url
echo "redis://tollgate:$(cat challenge_store_password)@challenge-store:6379" | write challenge_store_url
echo "postgres://tollgate:$(cat directory_password)@directory:5432/tollgate" | write users_url
sentinels=sentinel-1:26379,sentinel-2:26379,sentinel-3:26379
echo "redis+sentinel://tollgate:$(cat session_store_password)@$sentinels/sessions" | write session_sentinel_url
echo "redis+sentinel://tollgate:$(cat challenge_store_password)@$sentinels/challenges" | write challenge_sentinel_url
