"""A worker whose forks take half a second to leave, as on a busy machine; it runs nothing."""

import os
import time
from typing import NoReturn

from autograder.sandbox.inside import worker


def _leave_slowly(status: int) -> NoReturn:
    os.closerange(3, 1_000)
    time.sleep(0.5)
    os.kill(os.getpid(), 9)
    raise SystemExit(status)


if __name__ == "__main__":
    os._exit = _leave_slowly
    worker.serve(lambda: None, lambda descriptor, confinement, warm: None)
