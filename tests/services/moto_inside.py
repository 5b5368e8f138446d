"""Runs inside the virtual environment: moto's server, made to check what AWS checks. Left alone, it
takes the parameters out of a body and writes them anew before it looks at the signature, so that
only those who write a blank as "+" pass; the signature is of the bytes that came."""
import io
import sys
import threading

import moto.server
from moto.iam.access_control import IAMRequestBase

came = threading.local()
of_parameters = IAMRequestBase._create_aws_request


class Application(moto.server.DomainDispatcherApplication):
    def __call__(self, environ, start_response):
        came.body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(came.body)
        return super().__call__(environ, start_response)


def of_bytes(request):
    request._body = came.body
    return of_parameters(request)


IAMRequestBase._create_aws_request = of_bytes
moto.server.DomainDispatcherApplication = Application
moto.server.main(["-H", "127.0.0.1", "-p", sys.argv[1]])
