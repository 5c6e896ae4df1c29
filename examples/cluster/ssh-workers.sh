#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Workers on hosts that you reach by SSH. Each host needs the same directory with bin/ and lib/.
#
#   PEERS=host1,host2:50001 ./ssh-workers.sh deploy           copies bin/ and lib/ to all hosts
#   PEERS=...               ./ssh-workers.sh start [options]  starts a worker on each host, with options of daphne-worker
#   PEERS=...               ./ssh-workers.sh status           which of them run
#   PEERS=...               ./ssh-workers.sh run [options] script.daph ...   runs a script on them
#   PEERS=...               ./ssh-workers.sh kill             ends them
#
# PEERS: IP[:PORT],...; the port is 50000 unless it is given. DIRECTORY: where daphne is on the hosts (default: ~/daphne).
# Workers that are reached over a network need --tls-ca, --tls-cert and --tls-key, or --insecure: say so on start and run.
set -euo pipefail
: "${PEERS:?set PEERS to host[:port],host[:port],...}"
directory=${DIRECTORY:-daphne}
here=$(cd "$(dirname "$0")/../.." && pwd)

each_peer() { # calls "$1 host port" for all
    local peer
    for peer in ${PEERS//,/ }; do
        case "$peer" in
        *:*) "$1" "${peer%:*}" "${peer##*:}" ;;
        *) "$1" "$peer" 50000 ;;
        esac
    done
}
addresses() {
    add() { echo "$1:$2"; }
    each_peer add | paste -sd, -
}
deploy() { ssh "$1" mkdir -p "$directory/bin" "$directory/lib" &&
    scp -q "$here"/bin/daphne* "$1:$directory/bin/" && scp -q "$here"/lib/libdaphne_*.so "$1:$directory/lib/"; }
start() {
    ssh "$1" "cd $directory && { nohup bin/daphne-worker ${options[*]:-} $1:$2 >worker-$2.log 2>&1 </dev/null & echo \$! >worker-$2.pid; }"
    echo "started $1:$2"
}
status() {
    if ssh "$1" "cd $directory && kill -0 \$(cat worker-$2.pid) 2>/dev/null"; then echo "$1:$2 runs"; else echo "$1:$2 does not run"; fi
}
end() { ssh "$1" "cd $directory && kill \$(cat worker-$2.pid) && rm -f worker-$2.pid" && echo "ended $1:$2"; }

command=${1:-}
[ $# -eq 0 ] || shift
options=("$@")
case "$command" in
deploy) each_peer deploy ;;
start) each_peer start ;;
status) each_peer status ;;
run) DISTRIBUTED_WORKERS=$(addresses) exec "$here/bin/daphne" --distributed --dist_backend=gRPC "$@" ;;
kill) each_peer end ;;
*)
    sed -n '3,14s/^# \{0,1\}//p' "$0" >&2
    exit 1
    ;;
esac
