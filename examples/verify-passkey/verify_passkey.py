"""Checks the passkey approvals in a receipt of Paraph, without Paraph and with Python's standard library alone.

    python3 verify_passkey.py receipt.json

Run `paraph verify`, or the OpenSSL commands in docs/reference/receipt.md, for the operator's signature of the receipt.
This page checks ES256, the algorithm of nearly all passkeys.
"""
import base64, hashlib, json, sys

# The curve P-256 (FIPS 186-4): y^2 = x^3 - 3x + b over the field of P, with a base point G of order N.
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
SPKI = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")


def add(p, q):
    if p is None or q is None:
        return p or q
    if p[0] == q[0] and (p[1] + q[1]) % P == 0:
        return None
    slope = (3 * p[0] ** 2 - 3) * pow(2 * p[1], -1, P) if p == q else (q[1] - p[1]) * pow(q[0] - p[0], -1, P)
    x = (slope * slope - p[0] - q[0]) % P
    return x, (slope * (p[0] - x) - p[1]) % P


def multiply(k, point):
    result = None
    while k:
        result, point, k = (add(result, point) if k & 1 else result), add(point, point), k >> 1
    return result


def verify_es256(spki, signature, message):
    assert spki.startswith(SPKI) and len(spki) == len(SPKI) + 64, "the public key is not on P-256"
    x, y = (int.from_bytes(part, "big") for part in (spki[-64:-32], spki[-32:]))
    assert (y * y - x**3 + 3 * x - B) % P == 0, "the public key is not on P-256"
    assert signature[0] == 0x30 and signature[2] == 2, "the signature is malformed"
    middle = 4 + signature[3]
    r, s = (int.from_bytes(part, "big") for part in (signature[4:middle], signature[middle + 2:]))
    assert 0 < r < N and 0 < s < N, "the signature is malformed"
    digest, inverse = int.from_bytes(hashlib.sha256(message).digest(), "big"), pow(s, -1, N)
    point = add(multiply(digest * inverse % N, G), multiply(r * inverse % N, (x, y)))
    assert point and point[0] % N == r, "the signature does not match"


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verify_vote(tenant, call, round_, digest, vote):
    proof = vote["proof"]
    subject = {"purpose": "paraph.approve", "version": 1, "tenant": tenant, "call": call, "round": round_,
               "digest": digest, "by": vote["by"], "declined": vote.get("declined", []),
               "answerDigest": vote.get("answerDigest")}
    text = json.dumps(subject, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    client, data = decode(proof["clientData"]), decode(proof["authenticatorData"])
    said = json.loads(client)
    assert said["type"] == "webauthn.get", "this is not an assertion"
    assert decode(said["challenge"]) == hashlib.sha256(text.encode()).digest(), "it is about another approval"
    assert data[:32] == hashlib.sha256(proof["rpId"].encode()).digest(), "it is for another site"
    assert data[32] & 0x05 == 0x05, "the user was not verified"
    assert proof["alg"] == -7, "only ES256 is checked here"
    verify_es256(decode(proof["publicKey"]), decode(proof["signature"]), data + hashlib.sha256(client).digest())
    print(f"approved with passkey by {vote['by']} on {said['origin']}, digest {digest[:16]}")


with open(sys.argv[1], encoding="utf-8") as file:
    statement = json.loads(base64.b64decode(json.load(file)["envelope"]["payload"]))
receipt = statement["predicate"]
try:
    for event in receipt["events"]:
        fact = event["data"]
        if event["kind"] == "voted" and "proof" in fact:
            verify_vote(receipt["tenant"], receipt["call"], fact["round"], fact["digest"], fact)
        for vote in fact["votes"] if event["kind"] == "approval-inherited" else []:
            if "proof" in vote:
                verify_vote(receipt["tenant"], fact["by"], fact["round"], fact["approval"], vote)
except AssertionError as error:
    sys.exit(f"not verified: {error}")
