"""Manifests as a cluster would get them: rendered by kustomize, read, and checked against the schemas, all offline."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from kubernetes_validate import SchemaNotFoundError, ValidationError, latest_version, validate

from deploy.build.prepare import ROOT

Document = dict[str, Any]

FOLDER = ROOT / "deploy" / "k8s"
OVERLAYS = tuple(sorted(path.parent for path in (FOLDER / "overlays").glob("*/kustomization.yaml")))

KUBERNETES: str = latest_version()
"""The Kubernetes whose schemas are used."""


class RenderingError(Exception):
    """kustomize could not render; the text is what it said."""


def rendered(overlay: Path) -> list[Document]:
    """The documents of an overlay. Raises: RenderingError."""
    kubectl = Path(sys.executable).with_name("kubectl")
    done = subprocess.run([kubectl, "kustomize", overlay], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RenderingError(done.stderr.strip())
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def invalid(documents: list[Document]) -> Iterator[str]:
    """What the schemas forbid, unknown fields included; one line a document."""
    for document in documents:
        try:
            validate(document, KUBERNETES, strict=True)
        except SchemaNotFoundError as error:
            yield f"{name_of(document)}: {error.message}"
        except ValidationError as error:
            path = ".".join(map(str, error.path))
            yield f"{name_of(document)}: {path or 'document'}: {error.message}"


def name_of(document: Document) -> str:
    """Kind and name, as `kubectl get` takes them."""
    return f"{document.get('kind', '?').lower()}/{document.get('metadata', {}).get('name', '?')}"
