"""Opens sockets of every kind, and asks for a page.

Deserves nothing; no socket can be opened.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import socket, urllib.request
opened = []
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            opened.append(socket.socket(family, kind))
        except OSError:
            pass
try:
    urllib.request.urlopen("http://127.0.0.1:80/", timeout=2)
    opened.append("http")
except OSError:
    pass
print(opened)
assert not opened
""",
)
