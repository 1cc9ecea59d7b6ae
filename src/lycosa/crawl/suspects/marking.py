"""Notes the page before a worker reads its answer, and has suspects read apart.

It stands between the transport's answers and the worker's decisions. A worker without marks, as in
most simulations, does not use it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from lycosa.crawl.ports import Ports
from lycosa.crawl.suspects.marks import COUNT, NO_PAGE, PAGE_BITS
from lycosa.crawl.suspects.marks import PAGE as PAGE_WORD
from lycosa.frontier.partition import Partition
from lycosa.frontier.task import PAGE, Task
from lycosa.model.records import Answer, Request

if TYPE_CHECKING:
    from lycosa.crawl.suspects.findings import Asked, Findings
    from lycosa.crawl.worker.sending import OnAnswer


def marking(ports: Ports, on_answer: OnAnswer) -> OnAnswer:
    """Return the receiver of answers: `on_answer` itself, or a function that marks them first.

    The count stays odd if reading raises: then a page is to blame for the end of the process.
    """
    words = ports.mark
    if words is None:
        return on_answer
    count = words[COUNT]  # kept here too, because a mapped word takes longer to read than to write

    def answered(
        partition: Partition, task: Task, reserved: int, request: Request, answer: Answer
    ) -> None:
        nonlocal count
        subject = task.subject
        is_page = task.kind is PAGE
        suspects = partition.state.suspects
        if suspects.until and is_page and suspects.has(subject, answer.ended):
            body_of = answer if answer.failure is None else answer.beginning
            if body_of is not None and 200 <= body_of.status < 300 and ports.apart is not None:
                decide = partial(_decide, on_answer, partition, task, reserved, request, answer)
                ports.apart.read(_asked(partition, task, request, body_of), decide)
                return
        words[PAGE_WORD] = partition.number << PAGE_BITS | subject if is_page else NO_PAGE
        words[COUNT] = reading = count + 1
        on_answer(partition, task, reserved, request, answer)
        words[COUNT] = count = reading + 1

    return answered


def _asked(partition: Partition, task: Task, request: Request, answer: Answer) -> Asked:
    from lycosa.crawl.suspects.findings import Asked
    from lycosa.storage.tables.rows import label_of  # few workers read pages apart

    state = partition.state
    key = state.table.key(task.subject)
    path = key[len(state.site_names[state.pages.site[task.subject]]) :]
    label = label_of(key, answer.ended)
    return Asked(
        answer.status, answer.headers, answer.by_name, answer.body, request.url, path, label
    )


def _decide(
    on_answer: OnAnswer,
    partition: Partition,
    task: Task,
    reserved: int,
    request: Request,
    answer: Answer,
    findings: Findings | None,
) -> None:
    """Let the worker decide on an answer that was read; None if it was cut, as at a stop."""
    if answer.failure is None:
        answer = replace(answer, findings=findings)
    elif answer.beginning is not None:
        answer = replace(answer, beginning=replace(answer.beginning, findings=findings))
    on_answer(partition, task, reserved, request, answer)
