import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  type ECDH,
  randomBytes,
  verify,
} from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "./eventually.ts";

/** A message as the push service received it, and as its browser reads it. */
export interface ReceivedPush {
  readonly device: string;
  readonly headers: IncomingHttpHeaders;
  /** The claims of the verified VAPID token. */
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  readonly payload: any;
}

/**
 * A push service on loopback (RFC 8030) and the browsers that subscribe to it. It verifies the sender's token (RFC 8292)
 * and decrypts each message with the key of its browser (RFC 8291, RFC 8188).
 */
export class PushService {
  readonly received: ReceivedPush[] = [];
  /** The status that the service answers for a device (default: 201). */
  readonly answers = new Map<string, number>();
  readonly #devices = new Map<string, { readonly pair: ECDH; readonly auth: Buffer }>();
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const device = request.url!.slice(1);
      const status = this.answers.get(device) ?? 201;
      if (status === 201) this.#keep(device, request.headers, Buffer.concat(chunks));
      response.writeHead(status, { location: `${this.url}/followed` }).end("x".repeat(100_000));
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Returns the subscription of a new browser. */
  subscribe(device: string) {
    const pair = createECDH("prime256v1");
    pair.generateKeys();
    const auth = randomBytes(16);
    this.#devices.set(device, { pair, auth });
    return {
      endpoint: `${this.url}/${device}`,
      p256dh: pair.getPublicKey("base64url"),
      auth: auth.toString("base64url"),
    };
  }

  /** Returns the messages to a device once there are this many. */
  async waitForCount(count: number, device: string): Promise<readonly ReceivedPush[]> {
    const list = () => this.received.filter((one) => one.device === device);
    await eventually(() => {
      if (list().length < count) throw new Error(`${list().length} of ${count} messages`);
    });
    return list();
  }

  #keep(device: string, headers: IncomingHttpHeaders, body: Buffer): void {
    const { pair, auth } = this.#devices.get(device)!;
    const text = decrypt(body, pair, auth);
    const claims = verifyVapid(headers.authorization ?? "");
    this.received.push({ device, headers, claims, payload: JSON.parse(text) });
  }
}

/** Verifies the token with the key that the header names, and returns its claims. */
function verifyVapid(authorization: string): ReceivedPush["claims"] {
  const [, token = "", key = ""] = /^vapid t=([^,]+), k=(\S+)$/.exec(authorization) ?? [];
  const [header = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(key, "base64url");
  const jwk = {
    kty: "EC",
    crv: "P-256",
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  const isValid = verify(
    "sha256",
    Buffer.from(`${header}.${claims}`),
    { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isValid) throw new Error("the signature of the VAPID token is wrong");
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}

/** Decrypts a body of one record: salt, record size, key length, the sender's key, then the ciphertext. */
function decrypt(body: Buffer, pair: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const senderKey = body.subarray(21, 21 + body[20]!);
  const record = body.subarray(21 + body[20]!);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), pair.getPublicKey(), senderKey]);
  const input = expand(hmac(auth, pair.computeSecret(senderKey)), info, 32);
  const derived = hmac(salt, input);
  const key = expand(derived, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = expand(derived, Buffer.from("Content-Encoding: nonce\0"), 12);
  const decipher = createDecipheriv("aes-128-gcm", key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString("utf8");
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

/** HKDF-Expand for at most one block. */
function expand(key: Buffer, info: Buffer, length: number): Buffer {
  return hmac(key, Buffer.concat([info, Buffer.from([1])])).subarray(0, length);
}
