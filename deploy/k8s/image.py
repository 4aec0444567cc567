"""What the Dockerfile says that others rely on."""

import re

from deploy.k8s.linting import DOCKERFILE


def image_user() -> int:
    """The user that the image's processes are."""
    found = re.search(r"^USER (\d+)", DOCKERFILE.read_text(), re.MULTILINE)
    return int(found.group(1)) if found else 0


def writable_folders() -> frozenset[str]:
    """Folders that the image makes for its user: a new volume mounted there gets their owner."""
    text, user = DOCKERFILE.read_text(), image_user()
    found = re.findall(rf"^RUN install -d -o {user} -g {user} (.*)$", text, re.MULTILINE)
    return frozenset(folder for line in found for folder in line.split())
