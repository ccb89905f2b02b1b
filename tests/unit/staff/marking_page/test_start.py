"""start: the port of the marking page and the desk."""

import pytest

from autograder.records.errors import UserError
from autograder.staff.marking_page import start


def test_a_port_is_taken_as_soon_as_it_is_chosen() -> None:
    """The page reads results before it answers; a second one must not get the same address."""
    with start.listening(0) as first:
        port = first.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} is taken"), start.listening(port):
            pytest.fail("two pages have one port")
    with start.listening(port) as again:
        assert again.getsockname()[1] == port
