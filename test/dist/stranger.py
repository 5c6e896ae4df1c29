# SPDX-License-Identifier: Apache-2.0
"""A client that says to a worker whatever it likes, over TCP or with just enough of HTTP/2 and gRPC to open the stream of
frames."""

import re
import socket
import struct
import threading
from pathlib import Path

MAGIC = b'DPHN'
MESSAGES = Path(__file__).resolve().parents[2] / 'src' / 'dist' / 'protocol' / 'Message.h'
VERSION = int(re.search(r'kProtocolVersion = (\d+)', MESSAGES.read_text())[1])
HELLO, WELCOME, NEIGHBOUR, OBJECT_BEGIN, OBJECT_CHUNK, OBJECT_LENT, OBJECT_PIECE, OBJECT_ACK, COMPUTE = range(9)
DETACH = 18
F64 = 9  # the value type
IN_PIECES = 1 << 63  # of numbers of objects


def text(value):
    return struct.pack('<I', len(value)) + value.encode()


def frame(kind, body=b'', version=VERSION, length=None):
    """A message in its envelope."""
    return MAGIC + struct.pack('<HHQQQ', version, kind, 1, 0, len(body) if length is None else length) + body


def hello(build, token='', options=(), chunk=1000, process=0, address=0):
    body = text(build) + text(token) + struct.pack('<QII', chunk, 0, 1) + struct.pack('<I', len(options))
    return frame(HELLO, body + b''.join(map(text, options)) + struct.pack('<QQ', process, address) + bytes(16))


def compute(program, digest=None, rows=1):
    body = struct.pack('<Q', fnv(program) if digest is None else digest) + text(program)
    return frame(COMPUTE, body + struct.pack('<QQdd', rows, 1, 0, 0) + text('') + struct.pack('<IBBQIQ', 0, 0, 0, rows, 0, 0))


def piece(number, rows, first, count, payload, crc=0):
    """Cells of a column of doubles."""
    return frame(OBJECT_PIECE, struct.pack('<QBQQQQI', number, F64, rows, 1, first, count, crc) + payload)


def fnv(program):
    h = 0xcbf29ce484222325
    for byte in program.encode():
        h = (h ^ byte) * 0x100000001b3 % 2**64
    return h


def http2(kind, flags, stream, payload):
    return struct.pack('>I', len(payload))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + payload


class Stranger:
    """An open stream to a worker; what comes back is thrown away."""

    def __init__(self, address, timeout=10):
        host, port = address.split(':')
        self.socket = socket.create_connection((host, int(port)), timeout)
        self.open(address)
        threading.Thread(target=self.drain, daemon=True).start()

    def open(self, address):
        headers = ((':method', 'POST'), (':scheme', 'http'), (':path', '/daphne.dist.wire.Worker/Exchange'),
                   (':authority', address), ('content-type', 'application/grpc'), ('te', 'trailers'))
        fields = b''.join(bytes([0, len(name)]) + name.encode() + bytes([len(value)]) + value.encode() for name, value in headers)
        self.socket.sendall(b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + http2(4, 0, 0, b'') + http2(4, 1, 0, b'') +
                            http2(1, 4, 1, fields))

    def drain(self):
        try:
            while self.socket.recv(65536):
                pass
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def send(self, data):
        """A message of the stream that holds these bytes."""
        size, length = len(data), b''
        while size > 127:
            length, size = length + bytes([size & 127 | 128]), size >> 7
        message = b'\x0a' + length + bytes([size]) + data
        self.raw(b'\0' + struct.pack('>I', len(message)) + message)

    def raw(self, data):
        """Bytes of the stream, whatever they are."""
        for begin in range(0, len(data), 16000):
            self.socket.sendall(http2(0, 0, 1, data[begin:begin + 16000]))

    def announce(self, size, greeting):
        """A message that is too long, and its beginning; behind the greeting, where the first message must be short."""
        self.raw(b'\0' + struct.pack('>I', size) + bytes(1000))


class TcpStranger(Stranger):
    """The same over plain sockets."""
    CALL = b'DPHTCP1c'

    def open(self, address):
        self.raw(self.CALL)

    def send(self, data):
        self.raw(struct.pack('<Q', len(data)) + data)

    def raw(self, data):
        self.socket.sendall(data)

    def announce(self, size, greeting):
        self.send(greeting)
        self.raw(struct.pack('<Q', size) + bytes(1000))
