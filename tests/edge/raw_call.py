"""A call as bytes, for what no gRPC library sends."""

import asyncio
import struct

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEADERS, _SETTINGS, _GOAWAY = 1, 4, 7
_END_STREAM, _END_HEADERS = 1, 4


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def _field(name: str, value: str) -> bytes:
    """A header as HPACK's literal without indexing; both shorter than 127 bytes unless the value needs a second one."""
    return b"\x00" + _length(len(name)) + name.encode() + _length(len(value)) + value.encode()


def _length(count: int) -> bytes:
    if count < 127:
        return bytes([count])
    rest, out = count - 127, bytearray([127])
    while rest >= 128:
        out.append(rest % 128 + 128)
        rest //= 128
    return bytes([*out, rest])


async def raw_unary_call(host: str, port: int, method: str, headers: dict[str, str]) -> None:
    """Make a unary call with an empty message and these headers; returns when the server ended it."""
    reader, writer = await asyncio.open_connection(host, port)
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": method,
        ":authority": f"{host}:{port}",
        "te": "trailers",
        "content-type": "application/grpc",
        **headers,
    }
    block = b"".join(_field(name, value) for name, value in fields.items())
    writer.write(_PREFACE + _frame(_SETTINGS, 0, 0, b"") + _frame(_HEADERS, _END_HEADERS, 1, block))
    writer.write(_frame(0, _END_STREAM, 1, b"\x00" * 5))
    try:
        while True:
            head = await reader.readexactly(9)
            await reader.readexactly(int.from_bytes(head[:3], "big"))
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            reset = kind == 3 and stream == 1
            if reset or kind == _GOAWAY or (stream == 1 and flags & _END_STREAM and kind in (0, _HEADERS)):
                return
    finally:
        writer.close()
