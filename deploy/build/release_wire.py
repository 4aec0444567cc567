"""Takes the wire as it stands for released: python -m deploy.build.release_wire.

`buf breaking` compares protos/ with the image protos/released.binpb. The image is renewed only together with an entry
under the newest Wire heading of CHANGELOG.md; the digest of the image, written there, ties the two.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from deploy.build.prepare import ROOT

IMAGE = ROOT / "protos" / "released.binpb"
CHANGELOG = ROOT / "CHANGELOG.md"
BUF = str(Path(sys.executable).with_name("buf"))

_DIGEST_LINE = re.compile(r"^Image: `[0-9a-f]{16}`$", re.MULTILINE)
_WIRE_SECTION = re.compile(r"^### Wire\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)


def digest(image: bytes) -> str:
    """The first 16 hexadecimal digits of the image's SHA-256, as CHANGELOG.md names it."""
    return hashlib.sha256(image).hexdigest()[:16]


def newest_wire_section(changelog: str) -> str:
    """What stands under the first Wire heading; empty if there is none."""
    found = _WIRE_SECTION.search(changelog)
    return found.group(1) if found else ""


def with_digest(changelog: str, value: str) -> str:
    """The changelog with the digest in its newest Wire section, in place of an older one there."""
    section = newest_wire_section(changelog)
    line = f"Image: `{value}`"
    if _DIGEST_LINE.search(section):
        renewed = _DIGEST_LINE.sub(line, section, count=1)
    else:
        renewed = f"{section.rstrip()}\n\n{line}\n\n"
    return changelog.replace(f"### Wire\n{section}", f"### Wire\n{renewed}", 1)


def build_image() -> bytes:
    """The image of protos/ as it stands."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image.binpb"
        subprocess.run([BUF, "build", "--exclude-source-info", "--output", str(path)], cwd=ROOT, check=True)
        return path.read_bytes()


def main() -> int:
    """Entry: 0 when image and changelog agree, 2 after one line that says what is missing."""
    image, changelog = build_image(), CHANGELOG.read_text()
    if image == IMAGE.read_bytes() and digest(image) in changelog:
        print("release-wire: protos/ is what was released; nothing to do")
        return 0
    if "\n- " not in f"\n{newest_wire_section(changelog)}":
        print("release-wire: say first what changed, under the newest '### Wire' of CHANGELOG.md", file=sys.stderr)
        return 2
    IMAGE.write_bytes(image)
    CHANGELOG.write_text(with_digest(changelog, digest(image)))
    print(f"release-wire: protos/released.binpb is {digest(image)}; commit it together with CHANGELOG.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
