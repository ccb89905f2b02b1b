"""Changes the mode, owner, times, attributes or size of the grader's files, in every way there is.

Deserves nothing, and changes nothing.
"""

from tests.redteam.attack import NOTHING, each, wrong
from tests.redteam.prey import PREY

DESERVES = NOTHING
BEFORE = f"""\
import ctypes, fcntl, os, struct, subprocess
prey = {str(PREY)!r}
secret, program, folder = (f"{{prey}}/{{name}}" for name in ("secret", "program", "folder"))
shown = f"{{prey}}/open"
call = ctypes.CDLL(None, use_errno=True).syscall
python = os.__file__
"""
ATTACKS = each(
    wrong,
    BEFORE,
    {
        "opens a secret to all": "os.chmod(secret, 0o666)",
        "closes a folder": "os.chmod(folder, 0)",
        "makes a program setuid": "os.chmod(program, 0o4777)",
        "closes the folder of all": "os.chmod(prey, 0)",
        "changes a mode through a descriptor": "os.fchmod(os.open(shown, os.O_RDONLY), 0o666)",
        "changes a mode beside a descriptor": (
            "os.chmod('secret', 0o666, dir_fd=os.open(prey, os.O_PATH))"
        ),
        "changes a mode through /proc": (
            "os.chmod(f'/proc/self/fd/{os.open(secret, os.O_PATH)}', 0o666)"
        ),
        "changes a mode through a link of its own": "os.symlink(secret, 'l'); os.chmod('l', 0o666)",
        "changes a mode by chmod, the program": (
            "subprocess.run(['chmod', '0666', secret], check=True)"
        ),
        "changes a mode by fchmodat2": "print(call(452, -100, secret.encode(), 0o666, 0))",
        "changes a mode by a call of x32": "print(call(0x40000000 + 90, secret.encode(), 0o666))",
        "changes a mode of Python's": "os.chmod(python, 0o666)",
        "changes modes of the sandbox's folder": (
            "for name in ('..', '../witness', '../witness.txt', '../passwd'): os.chmod(name, 0o777)"
        ),
        "takes a file for its own": "os.chown(secret, os.getuid(), os.getgid())",
        "takes a link's file for its own": "os.chown(shown, os.getuid(), -1, follow_symlinks=False)",
        "takes an open file for its own": "os.fchown(os.open(shown, os.O_RDONLY), os.getuid(), -1)",
        "gives its own file away": "open('mine', 'w').close(); os.chown('mine', 0, 0)",
        "sets a time": "os.utime(secret, (1, 1))",
        "sets a time to now": "os.utime(shown)",
        "sets a time through a descriptor": "os.utime(os.open(shown, os.O_RDONLY), (1, 1))",
        "sets a time by touch": "subprocess.run(['touch', '-d', '1970-01-02', secret], check=True)",
        "sets an attribute": "os.setxattr(shown, 'user.mine', b'x')",
        "sets an attribute by setxattrat": (
            "value = ctypes.create_string_buffer(b'x')\n"
            "args = struct.pack('=QII', ctypes.addressof(value), 1, 0)\n"
            "print(call(463, -100, shown.encode(), 0, b'user.mine', args, 16))"
        ),
        "sets flags of an open file": (
            "fcntl.ioctl(os.open(shown, os.O_RDONLY), 0x40086602, struct.pack('q', 0x40))"
        ),
        "sets flags by file_setattr": (
            "print(call(469, -100, shown.encode(), struct.pack('=QIIII', 0x80, 0, 0, 0, 0), 24, 0))"
        ),
        "cuts a file": "os.truncate(shown, 0)",
        "cuts a file by opening it": "os.open(shown, os.O_RDONLY | os.O_TRUNC)",
        "renames a file": "os.rename(shown, f'{prey}/renamed')",
        "removes a file": "os.unlink(shown)",
        "moves a file into its own folder": "os.rename(shown, 'moved')",
        "links a secret into its own folder": "os.link(secret, 'mine'); os.chmod('mine', 0o666)",
        "makes a file": "open(f'{prey}/made', 'w')",
        "makes a device": "os.mknod('disk', 0o60666, os.makedev(8, 0))",
        "watches a folder": (
            "watch = ctypes.CDLL(None).inotify_init()\n"
            "ctypes.CDLL(None).inotify_add_watch(watch, prey.encode(), 0xfff)"
        ),
    },
)
