"""What must outlive the process: private files in the state folder.

All calls block on the disk: use ``asyncio.to_thread``. Every file is written whole to a
temporary neighbour and renamed, so that a crash leaves the old one or the new one.
"""

import os
import tempfile
from pathlib import Path

from voicehermes.errors import StoreError


class Store:
    """Small private files by name, mode 0600, in a folder of mode 0700."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str) -> bytes | None:
        """The contents, or None when there is no such file. Raises StoreError."""
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"Cannot read {self.folder / name}: {error.strerror}.") from error

    def write(self, name: str, data: bytes) -> None:
        """Replace the contents; the file is on disk when this returns. Raises StoreError."""
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")  # 0600
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).replace(path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise StoreError(f"Cannot write {path}: {error.strerror}.") from error

    def remove(self, name: str) -> None:
        """Delete the file if it is there. Raises StoreError."""
        try:
            (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"Cannot remove {self.folder / name}: {error.strerror}.") from error

    def names(self, prefix: str) -> list[str]:
        """Names, sorted, of the files in the subfolder ``prefix`` as "prefix/file"."""
        folder = self.folder / prefix
        try:
            files = [p for p in folder.iterdir() if p.name[0] != "." and not p.is_dir()]
            return sorted(f"{prefix}/{p.name}" for p in files)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"Cannot read {folder}: {error.strerror}.") from error
