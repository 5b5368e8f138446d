"""Certificates that sign themselves."""
import os
import shutil
import subprocess

OPENSSL = shutil.which("openssl")


def make_pair(folder, name="127.0.0.1", of="IP:127.0.0.1"):
    """A certificate and its key, as files of this name."""
    certificate, key = (os.path.join(folder, f"{name}.{end}") for end in ("crt", "key"))
    subprocess.run([OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={of}",
                    "-keyout", key, "-out", certificate], check=True, capture_output=True, timeout=60)
    os.chmod(key, 0o600)
    return certificate, key
