"""The client's own cache: what the runner tells of it is what the server did not see."""

from contextlib import closing
from typing import Any

import pytest
from redis.connection import CacheProxyConnection

from respmark_python.clients.registry import make_session
from respmark_python.contract.events import LocalCache
from respmark_python.contract.orders import SliceOrder
from respmark_python.errors import UnsupportedError
from respmark_python.scenarios.registry import make_slices
from respmark_python.verification.verifier import Verifier
from respmark_python.workload.workload import Workload
from runner import parsed
from server import Server
from workloads import expected_calls

CACHED = ("get", "getrange")
"""What redis-py caches of the golden workload."""
LONG_NS = 50_000_000


@pytest.fixture
def session(target: dict[str, Any]) -> Any:
    """Return a session whose cache is smaller than the key space."""
    return make_session(parsed("caching", {"cache_entries": 20}, target=target))


@pytest.fixture
def _any_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the library's look at the server out: it asks for Redis 7.4 by its name, and does with any that tracks."""
    monkeypatch.setattr(CacheProxyConnection, "connect", lambda self: self._conn.connect())


@pytest.mark.usefixtures("_any_server")
def test_what_was_not_sent_is_what_the_cache_answered(session: Any, server: Server, workload: Workload) -> None:
    """Misses are exactly what the server was sent."""
    slices = make_slices(parsed("caching", {"cache_entries": 20}), workload, session)
    with closing(session):
        session.connect()
        slices.verify(Verifier(workload, session), 10)
        for number in (1, 2):
            server.control.config_resetstat()
            done = slices.work_slice("t", SliceOrder(number, LONG_NS, LONG_NS, 0, keep_samples=True))
            calls, expected = server.calls(), expected_calls(workload, [vars(one) for one in done.segments])
            assert done.local_cache is not None
            assert done.local_cache.hits is None
            assert done.local_cache.misses == sum(calls.get(name, 0) for name in CACHED)
            assert done.local_cache.misses <= sum(expected[name] for name in CACHED)
            assert calls["set"] == expected["set"]


@pytest.mark.usefixtures("_any_server")
def test_what_another_connection_changes_is_dropped_and_read_again(session: Any, server: Server) -> None:
    """The second GET of a key comes from the cache, until the server says that the key has changed."""
    with closing(session):
        session.connect()
        get = session.lanes[0].target.get
        server.control.set("changing", "old")
        assert [get("changing"), get("changing")] == [b"old", b"old"]
        assert session.local_cache() == LocalCache(None, misses=1, invalidations=0)
        server.control.set("changing", "new")
        server.control.ping()  # answered after the server has told those who read the key
        assert get("changing") == b"new"
        assert session.local_cache() == LocalCache(None, misses=2, invalidations=1)


@pytest.mark.usefixtures("_any_server")
def test_a_slice_tells_what_the_cache_did_since_the_one_before(session: Any, workload: Workload) -> None:
    """Or since the verification. Some libraries hear of a change while they wait, others when they work."""
    slices = make_slices(parsed("caching", {"cache_entries": 20}), workload, session)
    with closing(session):
        session.connect()
        slices.verify(Verifier(workload, session), 10)
        for number in (1, 2):
            before = session.local_cache()
            session.lanes[0].target.get(f"before {number}")
            done = slices.work_slice("t", SliceOrder(number, LONG_NS, 0, 0, keep_samples=True))
            assert done.local_cache == session.local_cache().since(before)


def test_a_server_that_the_library_does_not_cache_for_is_unsupported(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at the server's version when it connects."""
    monkeypatch.setattr(CacheProxyConnection, "MIN_ALLOWED_VERSION", "99.0.0")
    with closing(session), pytest.raises(UnsupportedError, match="this server is none that redis-py caches for"):
        session.connect()


def test_hits_that_nobody_counts_stay_unknown() -> None:
    """Between two moments, too."""
    assert LocalCache(None, 7, 3).since(LocalCache(None, 5, 1)) == LocalCache(None, 2, 2)
    assert LocalCache(9, 7, 3).since(LocalCache(4, 5, 1)) == LocalCache(5, 2, 2)
