"""The options of hosts: on which workers of a Dask cluster clients run."""

from dataclasses import dataclass, fields

from cyclopts import Parameter

from respmark.cli.options import Flag
from respmark.errors import InvalidRequestError
from respmark.machine.placement import BackendName, HostsWanted


@Parameter(name="*")
@dataclass(frozen=True)
class HostOptions:
    """On which hosts clients run, with `--via dask`."""

    scheduler: str | None = None
    """The Dask cluster whose workers run the clients: its scheduler's address (`tcp://10.0.0.5:8786`), or `local:3`,
    three workers on this machine, for trying."""
    hosts: int | None = None
    """Use so many of the cluster's workers, an agent on each; default: all. `--processes` spread over them."""
    per_host: int | None = None
    """Give a host so many of a client's processes before the next host gets any; default: 1."""
    insecure_scheduler: Flag = False
    """Send a server's password to hosts through a scheduler without TLS."""

    def wanted(self, via: BackendName) -> HostsWanted | None:
        """Return the hosts that were asked for; None: this machine."""
        if not via.has_hosts:
            changed = (one.name for one in fields(self) if getattr(self, one.name) != one.default)
            if given := [f"--{name.replace('_', '-')}" for name in changed]:
                names = " or ".join(one for one in BackendName if one.has_hosts)
                raise InvalidRequestError(f"{', '.join(given)}: only with --via {names}")
            return None
        if self.scheduler is None:
            raise InvalidRequestError(
                f"--via {via} needs --scheduler: an address such as tcp://10.0.0.5:8786, or local:3"
            )
        for name, number in (("hosts", self.hosts), ("per-host", self.per_host)):
            if number is not None and number < 1:
                raise InvalidRequestError(f"--{name} must be at least 1 (is {number})")
        return HostsWanted(
            scheduler=self.scheduler,
            most=self.hosts,
            may_be_read=self.insecure_scheduler,
            per_host=self.per_host or 1,
        )
