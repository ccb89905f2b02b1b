"""Reports as emails: files for a mail program, or sent through the university's server.

mails.csv beside the results records who was sent which report, so that nobody gets one twice.
"""

import contextlib
import csv
import hashlib
import io
import os
import smtplib
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

from autograder.course.course import Course
from autograder.course.people import People
from autograder.marking.mark import number, points
from autograder.platforms import feedback_files
from autograder.records.codec import one_line, safe
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.marks import Grade, HandMarks
from autograder.store import files

PACKED, SENT = "mails.zip", "mails.csv"
PASSWORD = "AUTOGRADER_SMTP_PASSWORD"
"""The environment variable with the sender's password; without it there is no login."""
_TLS, _SECONDS = 465, 30.0


@dataclass(frozen=True)
class Mail:
    """One person's mail; `digest` identifies its report."""

    student: str
    message: EmailMessage
    digest: str


def written(
    folder: Path,
    graded: Mapping[str, Grade],
    by_people: Mapping[str, HandMarks],
    people: People,
    *,
    homework: Homework,
    course: Course,
    sender: str,
    unfinished: Mapping[str, str],
) -> tuple[list[Mail], list[str]]:
    """Return an email for each graded person who can get one, and a line for each of the others.

    `graded` has the marks from the machine and people, `by_people` what people gave. `unfinished`
    says why a mark is not final, which keeps it from being sent.

    Raises:
        UserError: the sender's address is invalid, or nobody would get an email.

    """
    whose = _address(sender)
    found: list[Mail] = []
    complaints: list[str] = []
    for student, grade in graded.items():
        person = people.in_folder(student)
        if not person or not person.email:
            complaints.append(f"{one_line(student)}: no email (no address in roster.csv)")
            continue
        if why := unfinished.get(student):
            complaints.append(
                f"{one_line(student)}: no email ({why}; --provisional sends it anyway)"
            )
            continue
        try:
            to, given = _address(person.email), by_people.get(student)
            page = feedback_files.page(folder / student, grade, given, homework, course)
        except UserError as error:
            complaints.append(f"{one_line(student)}: no email ({error})")
            continue
        message = EmailMessage(policy=SMTP)
        message["From"], message["To"] = whose, to
        message["Subject"] = one_line(f"{homework.title}: your report")
        waiting = f" so far; {points(grade.waiting)} are still to be marked" * bool(grade.waiting)
        message.set_content(
            f"{one_line(f'{course.title}, {course.term}')}\n{one_line(homework.title)}\n\n"
            f"{number(grade.score)} of "
            f"{points(grade.possible)}{waiting}.\nThe attached page shows what was right "
            "and where to look.\n"
        )
        message.add_attachment(page, subtype="html", filename=files.REPORT)
        found.append(Mail(student, message, hashlib.sha256(page.encode()).hexdigest()))
    if graded and not found:
        if not any(person.email for person in people):
            raise UserError("roster.csv has no addresses; add a column `email`")
        raise UserError(f"nobody gets an email: {complaints[0]}")
    return found, complaints


def archive(mails: Sequence[Mail]) -> bytes:
    """Return a zip with a file for each email."""
    return feedback_files.packed(
        {f"{safe(one.student)}.eml": one.message.as_bytes() for one in mails}
    )


def unsent(folder: Path, mails: Sequence[Mail]) -> list[Mail]:
    """Return the emails whose report is not the last one that was sent to the person."""
    sent = folder / SENT
    text = sent.read_text(encoding="utf-8") if sent.is_file() else ""
    last = {row[0]: row[2] for row in csv.reader(io.StringIO(text)) if len(row) == 3}
    return [one for one in mails if last.get(one.student) != one.digest]


def send(folder: Path, mails: Sequence[Mail], server: str, sender: str) -> Iterator[str]:
    """Send emails one after another and record each; yield a line for each refused one.

    The connection is encrypted, except to a server on this machine.

    Raises:
        UserError: the server is unreachable, or rejects the sender's login; or the record cannot be
            written.

    """
    path = folder / SENT
    with _writing(path):
        path.touch()
    with _connected(server, sender) as connection:
        for one in mails:
            try:
                connection.send_message(one.message)
            except smtplib.SMTPResponseException as error:
                yield f"{one_line(one.student)}: not sent ({error.smtp_code})"
                continue
            except smtplib.SMTPRecipientsRefused:
                yield f"{one_line(one.student)}: not sent (the server refuses the address)"
                continue
            except smtplib.SMTPNotSupportedError:
                if not sender.isascii():
                    raise  # it concerns every email
                why = "the server takes only ASCII addresses; give a different one in roster.csv"
                yield f"{one_line(one.student)}: not sent ({why})"
                continue
            at = datetime.now().astimezone().isoformat(timespec="seconds")
            besides = f"; {one_line(one.student)} has this email, and would get it again"
            with _writing(path, besides), path.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerow([one.student, at, one.digest])


@contextlib.contextmanager
def _writing(path: Path, besides: str = "") -> Iterator[None]:
    """Raise UserError if the record cannot be written, which is no fault of the server."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{one_line(path)} cannot be written ({error.strerror}){besides}"
        ) from error


@contextlib.contextmanager
def _connected(server: str, sender: str) -> Iterator[smtplib.SMTP]:
    host, _, port = server.partition(":")
    if not host or (port and not port.isdecimal()):
        raise UserError(f"--smtp {server}: write a host, or host:port")
    try:
        with _opened(host, int(port or _TLS)) as connection:
            if password := os.environ.get(PASSWORD):
                connection.login(sender, password)
            yield connection
    except smtplib.SMTPAuthenticationError as error:
        raise UserError(
            f"{host} rejects the login of {sender}; set {PASSWORD} to this sender's password"
        ) from error
    except (OSError, smtplib.SMTPException) as error:
        why = one_line(str(error)) or type(error).__name__
        raise UserError(f"--smtp {server}: the server cannot be used ({why})") from error


def _opened(host: str, port: int) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if port == _TLS:
        return smtplib.SMTP_SSL(host, port, timeout=_SECONDS, context=context)
    connection = smtplib.SMTP(host, port, timeout=_SECONDS)
    if host not in ("localhost", "127.0.0.1", "::1"):
        connection.starttls(context=context)
    return connection


def _address(text: str) -> Address:
    try:
        address = Address(addr_spec=text.strip())
    except Exception as error:  # its parser raises many kinds of errors
        raise UserError(f"{one_line(text)} is not an address") from error
    if not (address.username and address.domain):
        raise UserError(f"{one_line(text) or 'nothing'} is not an address")
    return address
