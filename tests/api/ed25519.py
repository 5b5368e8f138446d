"""Ed25519 as RFC 8032 describes it, without any library: what the server's is compared with."""
import hashlib

P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def _add(left, right):
    a = (left[1] - left[0]) * (right[1] - right[0]) % P
    b = (left[1] + left[0]) * (right[1] + right[0]) % P
    c = 2 * left[3] * right[3] * D % P
    d = 2 * left[2] * right[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(number, point):
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = _add(result, point)
        point = _add(point, point)
        number >>= 1
    return result


def _x_of(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert (x * x - square) % P == 0
    return P - x if x & 1 != sign else x


_BASE_Y = 4 * pow(5, P - 2, P) % P
_BASE_X = _x_of(_BASE_Y, 0)
BASE = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % P)


def _pack(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _hash(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


class Key:
    """A key whose secret is made of a name."""

    def __init__(self, name):
        self.secret = hashlib.sha256(name.encode()).digest()
        digest = hashlib.sha512(self.secret).digest()
        self._scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
        self._prefix = digest[32:]
        self.public = _pack(_times(self._scalar, BASE))
        self.text = self.public.hex()

    def sign(self, message):
        nonce = _hash(self._prefix, message) % L
        point = _pack(_times(nonce, BASE))
        proof = (nonce + _hash(point, self.public, message) * self._scalar) % L
        return point + proof.to_bytes(32, "little")


def signed(key, text):
    """The document `text`, a JSON object in one line, with the signature of the key."""
    assert text.endswith("}")
    value = key.sign(text[:-1].encode()).hex()
    return (f'{text[:-1]},"signature":{{"key":"{key.text}","algorithm":"ed25519",'
            f'"value":"{value}"}}}}')


def proof(key, token):
    """The header that proves to own the key."""
    words = b"pennyworth token " + hashlib.sha256(token.encode()).hexdigest().encode()
    return {"Pennyworth-Key": f"{key.text} {key.sign(words).hex()}"}


def holds(line):
    """Whether the signature of an exported line is its key's: made again, with the equation."""
    text, _, rest = line.partition(',"signature":{"key":"')
    key, value = bytes.fromhex(rest[:64]), bytes.fromhex(rest.partition('"value":"')[2][:128])
    y = int.from_bytes(key, "little")
    point_y, sign = y & (1 << 255) - 1, y >> 255
    x = _x_of(point_y, sign)
    factor = _hash(value[:32], key, text.encode()) % L
    wanted = _times(int.from_bytes(value[32:], "little"), BASE)
    ry = int.from_bytes(value[:32], "little")
    r_y = ry & (1 << 255) - 1
    r_x = _x_of(r_y, ry >> 255)
    right = _add((r_x, r_y, 1, r_x * r_y % P),
                 _times(factor, (x, point_y, 1, x * point_y % P)))
    return _pack(wanted) == _pack(right)
