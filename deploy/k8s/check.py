"""Checks all that is deployed, offline: python -m deploy.k8s.check."""

import sys
from collections.abc import Iterator

from deploy.build.prepare import ROOT
from deploy.k8s.agreement import disagreements
from deploy.k8s.composed import compose_disagreements
from deploy.k8s.linting import dockerfile_faults
from deploy.k8s.rendering import OVERLAYS, RenderingError, invalid, rendered


def faults() -> Iterator[str]:
    """What is wrong, one line each."""
    for overlay in OVERLAYS:
        where = overlay.relative_to(ROOT)
        try:
            documents = rendered(overlay)
        except RenderingError as error:
            yield f"{where}: {error}"
            continue
        found = list(invalid(documents)) or disagreements(documents)
        yield from (f"{where}: {fault}" for fault in found)
    yield from compose_disagreements()
    yield from dockerfile_faults()


def main() -> int:
    """Entry: 0 when all is well, 1 after one line a fault."""
    found = list(faults())
    for fault in found:
        print(f"deploy: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
