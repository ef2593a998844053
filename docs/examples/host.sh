#!/bin/sh
# A host in the shell: asks the host API whether a submission may pass, and counts failures of accounts.
#
#   host.sh check KEY IP POW_TOKEN POW_NONCE [CAPTCHA_TOKEN CAPTCHA]
#                                                checks a submission; an empty KEY or IP is none
#   host.sh attempt KEY IP POW_TOKEN POW_NONCE [CAPTCHA_TOKEN CAPTCHA]
#                                                the same, and counts the attempt as a failure if it passes
#   host.sh fail KEY                             records a failure of the account
#   host.sh withdraw KEY TRY                     takes that one back
#   host.sh clear KEY [IP]                       forgets all of them, after a success
#
# The answer goes to the standard output. Status 0: done, or the submission may pass; 1: it may not; 2: no answer that counts.
#
# HOST_API_KEY   the key of this host
# HOST_API_URL   the admin port of the challenge service; http://127.0.0.1:9002 unless set
set -eu

url=${HOST_API_URL:-http://127.0.0.1:9002}
: "${HOST_API_KEY:?must be set to the key of this host}"

# Ends with status 2 and a line.
give_up() {
  printf '%s\n' "$1" >&2
  exit 2
}

# A text as JSON.
json() {
  case $1 in
    *[[:cntrl:]]*) give_up 'control characters are no part of a key or an address' ;;
  esac
  printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}

# Sends METHOD PATH BODY and prints the answer. Key and body reach curl through files, where no list of processes shows them.
call() {
  method=$1 path=$2 body=$3
  shift 3
  answer=$(
    curl --silent --show-error --max-time 10 "$@" \
      --request "$method" --header 'Content-Type: application/json' --header @/dev/fd/3 \
      --data-binary @- --write-out '\n%{http_code}' "$url$path" 3<<KEY <<BODY
Authorization: Bearer $HOST_API_KEY
KEY
$body
BODY
  ) || give_up 'the host API does not respond'
  status=${answer##*
}
  answer=${answer%
*}
  [ -z "$answer" ] || printf '%s\n' "$answer"
  case $status in
    2??) ;;
    *) give_up "the host API answered $status" ;;
  esac
}

# The member NAME of an object, after a comma; nothing for an empty VALUE.
member() {
  [ -z "$2" ] && return
  value=$(json "$2") || exit 2
  printf ',"%s":%s' "$1" "$value"
}

usage() {
  give_up 'usage: host.sh check|attempt KEY IP POW_TOKEN POW_NONCE [CAPTCHA_TOKEN CAPTCHA] | fail KEY | withdraw KEY TRY | clear KEY [IP]'
}

[ $# -ge 1 ] || usage
command=$1
shift
case $command:$# in
  check:[46] | attempt:[46])
    count=false
    [ "$command" = check ] || count=true
    # Sent again after a lost answer, the same submission has its challenges judged as before, and counts once.
    body="{\"count\":$count,\"idempotency_key\":\"$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')\""
    for name in key ip pow_token pow_nonce captcha_token captcha; do
      # Alone in its line, so that a value that is none ends the script.
      body=$body$(member "$name" "${1:-}")
      [ $# -eq 0 ] || shift
    done
    verdict=$(call POST /host/verify "$body}" --retry 3 --retry-connrefused)
    printf '%s\n' "$verdict"
    case $verdict in
      *'"success":true'*) ;;
      *) exit 1 ;;
    esac
    ;;
  fail:1)
    key=$(json "$1")
    call POST /host/failures "{\"key\":$key}"
    ;;
  withdraw:2)
    key=$(json "$1") try=$(json "$2")
    call DELETE /host/failures "{\"key\":$key,\"try\":$try}"
    ;;
  clear:[12])
    key=$(json "$1") ip=$(member ip "${2:-}")
    call DELETE /host/failures "{\"key\":$key$ip}"
    ;;
  *) usage ;;
esac
