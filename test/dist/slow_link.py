# SPDX-License-Identifier: Apache-2.0
"""Machines of this one with slow lines between them, which can be cut.

A `Machine` is a network namespace. `SlowLinks` makes one for a coordinator and one for each worker, and between the
coordinator and every worker a line of 10.77.<worker>.0/30: two TUN devices and a process that carries packets from one to
the other, after a delay, at a rate, and from a queue that is limited as that of a router is, each direction for itself. So
a transfer over it takes what it takes over a real line, congestion control and lost packets included. Nothing of it can
reach, or be reached from, anywhere else.

All of it is held by open files only: namespaces and devices have no names outside, and vanish with the processes that
have them open, however these end. Needs root, /dev/net/tun and nsenter; `NotPermitted` says what is missing.
"""

import collections
import ctypes
import fcntl
import json
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF, TUNSETOFFLOAD = 0x400454ca, 0x400454d0
IFF_TUN, IFF_NO_PI, IFF_VNET_HDR = 0x0001, 0x1000, 0x4000
# The system leaves segmentation and checksums to the line: a packet may be up to 64 KiB, as between virtual machines.
TUN_F_CSUM, TUN_F_TSO4 = 0x01, 0x02
VNET_HEADER = 10
SIOCADDRT, SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFMTU = 0x890b, 0x8914, 0x8916, 0x891c, 0x8922
IFF_UP = 0x1
RTF_UP, RTF_GATEWAY = 0x1, 0x2
MTU = 1500
HEADERS = 40  # of every segment of such a packet but the first


class NotPermitted(Exception):
    """Why there are no machines here."""


class Machine:
    """The network of a machine. `within` calls a function there, `command` makes a command that runs there."""

    def __init__(self):
        # Only a thread of its own may leave the network of this process.
        self.network = in_thread(self.__make)

    def __make(self):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNET) != 0:
            raise NotPermitted(f'no network namespaces: {os.strerror(ctypes.get_errno())}')
        configure('lo', SIOCSIFFLAGS, struct.pack('<H', IFF_UP))
        return os.open('/proc/thread-self/ns/net', os.O_RDONLY | os.O_CLOEXEC)

    def within(self, function):
        def call():
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(self.network, CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), 'setns')
            return function()

        return in_thread(call)

    def command(self, words):
        return ['nsenter', f'--net=/proc/{os.getpid()}/fd/{self.network}', '--', *words]

    def plug(self, device, address):
        """The machine's end of a line: a file of packets."""
        def make():
            file = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.ioctl(file, TUNSETIFF, struct.pack('<16sH22x', device.encode(), IFF_TUN | IFF_NO_PI | IFF_VNET_HDR))
                fcntl.ioctl(file, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4)
                for what, host in ((SIOCSIFADDR, address), (SIOCSIFNETMASK, '255.255.255.252')):
                    configure(device, what, struct.pack('<HH4s', socket.AF_INET, 0, socket.inet_aton(host)))
                configure(device, SIOCSIFMTU, struct.pack('<i', MTU))
                configure(device, SIOCSIFFLAGS, struct.pack('<H', IFF_UP))
            except OSError:
                os.close(file)
                raise
            return file

        return self.within(make)

    def close(self):
        os.close(self.network)


def configure(device, what, value):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, what, struct.pack('<16s24s', device.encode(), value))


def add_route(network, mask, gateway):
    network, mask, gateway = (struct.pack('<HH4s8x', socket.AF_INET, 0, socket.inet_aton(a)) for a in (network, mask, gateway))
    route = struct.pack('@L16s16s16sHhLPhPLLH', 0, network, gateway, mask, RTF_UP | RTF_GATEWAY, 0, 0, 0, 0, 0, 0, 0, 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, SIOCADDRT, route)


def in_thread(function):
    """What it returns or throws, in a thread of its own."""
    outcome = []

    def call():
        try:
            outcome.extend([function(), None])
        except Exception as error:  # it belongs to the caller
            outcome.extend([None, error])

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    if outcome[1]:
        raise outcome[1]
    return outcome[0]


class SlowLinks:
    """A coordinator, workers and their lines; delay in ms and rate in Mbit/s for each direction."""

    def __init__(self, count, delay=50, rate=100):
        self.delay, self.rate = delay / 1e3, rate * 1e6 / 8
        self.machines, self.workers, ends = [], [], []
        self.carrier = None
        if os.geteuid() != 0:
            raise NotPermitted('needs root')
        for needed, found in (('/dev/net/tun', os.path.exists('/dev/net/tun')), ('nsenter', shutil.which('nsenter'))):
            if not found:
                raise NotPermitted(f'there is no {needed}')
        self.control, other = socket.socketpair()
        try:
            self.coordinator = self.__machine()
            for i in range(count):
                self.workers.append(self.__machine())
                ends.append(self.coordinator.plug(f'line{i}', f'10.77.{i}.1'))
                ends.append(self.workers[-1].plug('line', self.address(i)))
            self.carrier = subprocess.Popen([sys.executable, __file__, str(self.delay), str(self.rate), str(other.fileno()),
                                             *map(str, ends)], pass_fds=[other.fileno(), *ends])
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise NotPermitted(f'{error.strerror} ({error})') from error
            raise
        finally:
            other.close()
            for end in ends:
                os.close(end)

    def __machine(self):
        self.machines.append(Machine())
        return self.machines[-1]

    @staticmethod
    def address(worker):
        """Of the worker's machine."""
        return f'10.77.{worker}.2'

    def join(self):
        """From now on workers reach each other, too: the coordinator's machine passes their packets on."""
        def forward():
            with open('/proc/sys/net/ipv4/ip_forward', 'w') as file:
                file.write('1')

        self.coordinator.within(forward)
        for i, machine in enumerate(self.workers):
            machine.within(lambda gateway=f'10.77.{i}.1': add_route('10.77.0.0', '255.255.0.0', gateway))

    @property
    def round_trip(self):
        return 2 * self.delay

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.control.close()  # the carrier ends
        if self.carrier:
            self.carrier.wait()
        for machine in self.machines:
            machine.close()

    def __ask(self, **question):
        self.control.sendall(json.dumps(question).encode() + b'\n')
        answer = b''
        while not answer.endswith(b'\n'):
            part = self.control.recv(65536)
            if not part:
                raise ConnectionError('the process that carries packets has ended')
            answer += part
        return json.loads(answer)

    def cut(self, worker):
        """From now on nothing arrives, what is on its way included; nobody is told."""
        self.__ask(cut=worker)

    def mend(self, worker):
        self.__ask(mend=worker)

    def figures(self):
        """For each worker since the last call: bytes carried to it and from it, and packets that found the queue full."""
        return [tuple(numbers) for numbers in self.__ask(figures=True)]

    def measure(self, worker, size):
        """Seconds of a round trip, and those of so many bytes to the worker by a plain connection that is just open."""
        with self.workers[worker].within(lambda: socket.create_server((self.address(worker), 0))) as server:
            port = server.getsockname()[1]
            begin = time.monotonic()
            with self.coordinator.within(lambda: socket.create_connection((self.address(worker), port), 30)) as here:
                round_trip = time.monotonic() - begin
                there = server.accept()[0]
                sender = threading.Thread(target=here.sendall, args=(bytes(size),))
                begin = time.monotonic()
                sender.start()
                with there:
                    while size > 0:
                        size -= len(there.recv(1 << 20))
                    took = time.monotonic() - begin
                sender.join()
        return round_trip, took


# ---- the process that carries packets

class Direction:
    """Packets from one end of a line to the other: they leave a queue at the rate and arrive after the delay."""
    QUEUE = 1_500_000  # bytes: about what a router has, 1000 packets

    def __init__(self, source, target, delay, rate):
        self.source, self.target, self.delay, self.rate = source, target, delay, rate
        self.free = 0.0  # when the line can take the next packet
        self.line = collections.deque()  # (time of arrival, packet)
        self.is_cut, self.carried, self.dropped = False, 0, 0

    def take(self, now):
        for _ in range(64):  # the other direction has its turn then
            try:
                packet = os.read(self.source, 65536 + VNET_HEADER)
            except BlockingIOError:
                return
            if len(packet) <= VNET_HEADER or packet[VNET_HEADER] >> 4 != 4:
                continue
            size = len(packet) - VNET_HEADER
            size += HEADERS * ((size - HEADERS - 1) // (MTU - HEADERS))
            if self.is_cut:
                continue
            if (self.free - now) * self.rate + size > self.QUEUE:
                self.dropped += 1
                continue
            self.free = max(now, self.free) + size / self.rate
            self.carried += size
            self.line.append((self.free + self.delay, packet))

    def deliver(self, now):
        while self.line and self.line[0][0] <= now:
            packet = self.line.popleft()[1]
            try:
                os.write(self.target, packet)
            except OSError:
                self.dropped += 1

    def cut(self):
        self.is_cut = True
        self.line.clear()


class Carrier:
    def __init__(self, delay, rate, control, ends):
        self.control, self.pending = control, b''
        self.lines = [(Direction(here, there, delay, rate), Direction(there, here, delay, rate))
                      for here, there in zip(ends[::2], ends[1::2])]
        self.directions = {d.source: d for line in self.lines for d in line}

    def run(self):
        while True:
            due = min((d.line[0][0] for d in self.directions.values() if d.line), default=None)
            patience = None if due is None else max(0.0, due - time.monotonic())
            for file in select.select([self.control, *self.directions], [], [], patience)[0]:
                if file is not self.control:
                    self.directions[file].take(time.monotonic())
                elif not self.answer():
                    return
            now = time.monotonic()
            for direction in self.directions.values():
                direction.deliver(now)

    def answer(self):
        """False when whoever asked has gone."""
        try:
            data = self.control.recv(65536)
        except ConnectionError:
            return False
        *questions, self.pending = (self.pending + data).split(b'\n')
        for question in map(json.loads, questions):
            answer = True
            if 'figures' in question:
                answer = [(to.carried, back.carried, to.dropped + back.dropped) for to, back in self.lines]
                for direction in self.directions.values():
                    direction.carried = direction.dropped = 0
            for direction in self.lines[question['cut']] if 'cut' in question else ():
                direction.cut()
            for direction in self.lines[question['mend']] if 'mend' in question else ():
                direction.is_cut = False
            self.control.sendall(json.dumps(answer).encode() + b'\n')
        return bool(data)


if __name__ == '__main__':
    try:
        os.nice(-10)  # a line does not wait for processors
    except OSError:
        pass
    try:
        Carrier(float(sys.argv[1]), float(sys.argv[2]), socket.socket(fileno=int(sys.argv[3])), list(map(int, sys.argv[4:]))).run()
    except KeyboardInterrupt:
        pass
