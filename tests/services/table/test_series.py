"""Series of metrics do not grow with tables and players, and name none of them (reliability 38)."""

import urllib.request

from prometheus_client import start_http_server
from prometheus_client.parser import text_string_to_metric_families

from tests.services.table.rig import RunningPod, first_option, gathered, new_table_id

Series = frozenset[tuple[str, tuple[tuple[str, str], ...]]]


def scraped(port: int) -> Series:
    """All series that GET /metrics shows now."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    return frozenset(
        (sample.name, tuple(sorted(sample.labels.items())))
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    )


async def _played(pod: RunningPod) -> list[str]:
    """A deal to its end; the names of its players and its table."""
    seated = await pod.create(new_table_id())
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready()
    for player in players:
        await player.ended()
    return [*seated.names, seated.table_id]


async def test_series_do_not_grow_with_tables_and_players_row_38(pod: RunningPod) -> None:
    server, thread = start_http_server(0, "127.0.0.1", pod.metrics.registry)
    try:
        names = [name for _ in range(2) for name in await _played(pod)]
        before = scraped(server.server_port)
        names += [name for _ in range(4) for name in await _played(pod)]
        after = scraped(server.server_port)
    finally:
        server.shutdown()
        thread.join()
    # Codes and reasons appear with their first call; they are as many as the catalogue has.
    grown = {(name, labels) for name, labels in after - before if not {"code", "reason"} & dict(labels).keys()}
    assert grown == set()
    shown = {value for _, labels in after for _, value in labels}
    assert not shown & set(names)
    assert {"cardroom_table_moves_total", "cardroom_table_checks_total", "cardroom_table_slots_used"} <= {
        name for name, _ in after
    }
    moves = [name for name, _ in after if name == "cardroom_rpc_handled_total"]
    assert moves
