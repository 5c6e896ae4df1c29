#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes what TLS between a coordinator and its workers needs, in the directory of the first argument:
#
#   make-certificates.sh DIRECTORY HOST...
#
# ca.pem and ca.key: an authority of your own; ca.key is only needed to make further certificates, keep it offline.
# NAME.pem and NAME.key for each HOST: what the process on that host shows. HOST is a name or an address.
# Existing files of the authority are used, so that hosts can be added later.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 1; }
directory=$1
shift
mkdir -p "$directory"
cd "$directory"
umask 077
days=${DAYS:-365}
if [ ! -f ca.pem ]; then
    openssl req -x509 -newkey rsa:3072 -nodes -days "$days" -subj "/CN=daphne authority" -keyout ca.key -out ca.pem
fi
for host in "$@"; do
    case "$host" in
    *[!0-9.]*) names="DNS:$host" ;;
    *) names="IP:$host" ;;
    esac
    if [ "$host" = localhost ]; then names="DNS:localhost,IP:127.0.0.1"; fi
    openssl req -newkey rsa:3072 -nodes -subj "/CN=$host" -keyout "$host.key" -out "$host.csr"
    openssl x509 -req -in "$host.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days "$days" -out "$host.pem" \
        -extfile <(printf 'subjectAltName=%s' "$names")
    rm "$host.csr"
done
echo "made: $directory/ca.pem and a certificate for each of: $*"
