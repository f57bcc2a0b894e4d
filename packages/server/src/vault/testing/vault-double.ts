import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/**
 * A server that speaks the part of Vault's HTTP API that Paraph uses, with real keys. It follows Vault's documentation:
 * https://developer.hashicorp.com/vault/api-docs/secret/transit, …/secret/kv/kv-v2, …/auth/token, …/auth/approle and
 * …/auth/kubernetes. It rejects what Vault rejects, and records requests that no client of Vault should send.
 */
export interface VaultDouble {
  readonly url: string;
  /** The requests, as `POST transit/sign/paraph`. */
  readonly requests: string[];
  /** Requests that break the protocol. A test expects none. */
  readonly violations: string[];
  /** The valid tokens. */
  readonly tokens: Map<string, { seconds: number; renewable: boolean }>;
  readonly transit: Map<string, TransitKey>;
  /** The secrets of the KV engine `secret`, by path. A deleted secret is null. */
  readonly secrets: Map<string, Record<string, unknown> | null>;
  /** The paths that the policy of every token forbids. */
  readonly forbidden: Set<string>;
  /** If set, Vault answers every request with this status. */
  failing: number | undefined;
  stop(): Promise<void>;
}

interface TransitKey {
  readonly type: string;
  derived: boolean;
  minEncryptionVersion: number;
  readonly versions: { readonly privateKey: KeyObject; readonly hmacKey: Buffer }[];
}

interface Answer {
  readonly status: number;
  readonly body?: object;
}

export async function startVaultDouble(tls?: { cert: string; key: string }): Promise<VaultDouble> {
  const state: Omit<VaultDouble, "url" | "stop"> = {
    requests: [],
    violations: [],
    tokens: new Map(),
    transit: new Map(),
    secrets: new Map(),
    forbidden: new Set(),
    failing: undefined,
  };
  const listen = (request: IncomingMessage, respond: (answer: Answer) => void) =>
    void text(request).then((body) => respond(answerRequest(double, request, body)));
  const handler: Parameters<typeof createServer>[1] = (request, response) =>
    listen(request, ({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body ?? { errors: [] }));
    });
  const server = tls ? createTlsServer(tls, handler) : createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const double: VaultDouble = Object.assign(state, {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return double;
}

/** Creates a transit key, as `vault write -f transit/keys/<name> type=ed25519` does. */
export function createTransitKey({ transit }: VaultDouble, name: string, type = "ed25519"): TransitKey {
  const key: TransitKey = { type, derived: false, minEncryptionVersion: 0, versions: [] };
  transit.set(name, key);
  rotateTransitKey(key);
  return key;
}

/** Adds a version, as `vault write -f transit/keys/<name>/rotate` does. */
export function rotateTransitKey({ versions }: TransitKey): void {
  versions.push({ privateKey: generateKeyPairSync("ed25519").privateKey, hmacKey: randomBytes(32) });
}

function answerRequest(vault: VaultDouble, request: IncomingMessage, text: string): Answer {
  const { method = "", url = "", headers } = request;
  const path = url.replace(/^\/v1\//, "");
  const named = `${method} ${path}`;
  vault.requests.push(named);
  const violate = (reason: string) => vault.violations.push(`${named}: ${reason}`);
  if (!url.startsWith("/v1/")) violate("the path does not begin with /v1/");
  if (headers["x-vault-request"] !== "true") violate("no X-Vault-Request");
  if ((method === "POST") !== (text !== "")) violate("a POST has a body, and a GET has none");
  if (vault.failing !== undefined)
    return { status: vault.failing, body: { errors: vault.failing === 503 ? ["Vault is sealed"] : [] } };
  const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  const expectFields = (...names: string[]) => {
    if (Object.keys(body).sort().join() !== names.sort().join())
      violate(`fields ${Object.keys(body).join()}`);
  };

  if (named === "POST auth/approle/login") {
    expectFields("role_id", "secret_id");
    const isKnown = body.role_id === "paraph" && body.secret_id === "secret-id";
    return isKnown ? issueToken(vault) : refuse(400, "invalid role or secret ID");
  }
  if (named === "POST auth/kubernetes/login") {
    expectFields("role", "jwt");
    return body.role === "paraph" && body.jwt === "jwt"
      ? issueToken(vault)
      : refuse(403, "permission denied");
  }
  const token = headers["x-vault-token"];
  const known = typeof token === "string" ? vault.tokens.get(token) : undefined;
  if (!known || vault.forbidden.has(path)) return refuse(403, "permission denied");
  if (named === "GET auth/token/lookup-self")
    return succeed({ data: { ttl: known.seconds, renewable: known.renewable, type: "service" } });
  if (named === "POST auth/token/renew-self") {
    expectFields();
    if (!known.renewable) return refuse(400, "lease is not renewable");
    return succeed({ auth: { client_token: token, lease_duration: known.seconds, renewable: true } });
  }
  if (method === "GET" && path.startsWith("secret/data/"))
    return readKv(vault, path.slice("secret/data/".length));
  const [, operation, name = ""] = /^transit\/(keys|sign|hmac)\/([\w.-]+)$/.exec(path) ?? [];
  const key = vault.transit.get(name);
  if (method === "GET" && operation === "keys")
    return key ? succeed({ data: describeKey(name, key) }) : { status: 404 };
  if (method === "POST" && operation === "sign") {
    expectFields("input", "key_version");
    return key
      ? useKey(key, body, "signature", (v, input) => sign(null, input, v.privateKey))
      : refuse(400, "signing key not found");
  }
  if (method === "POST" && operation === "hmac") {
    expectFields("input", "key_version", "algorithm");
    if (body.algorithm !== "sha2-256") violate("another algorithm");
    const compute = ({ hmacKey }: TransitKey["versions"][number], input: Buffer) =>
      createHmac("sha256", hmacKey).update(input).digest();
    return key ? useKey(key, body, "hmac", compute) : refuse(400, "encryption key not found");
  }
  violate("no such path");
  return { status: 404 };
}

function useKey(
  { versions, minEncryptionVersion }: TransitKey,
  { input, key_version: version }: Record<string, unknown>,
  field: "signature" | "hmac",
  compute: (version: TransitKey["versions"][number], input: Buffer) => Buffer,
): Answer {
  const found = versions[Number(version) - 1];
  if (!found) return refuse(400, `key version does not exist; latest key version is ${versions.length}`);
  if (Number(version) < minEncryptionVersion) return refuse(400, "version is too old (disallowed by policy)");
  const bytes = Buffer.from(String(input), "base64");
  if (bytes.toString("base64") !== input) return refuse(400, "unable to decode input as base64");
  return succeed({ data: { [field]: `vault:v${version}:${compute(found, bytes).toString("base64")}` } });
}

function describeKey(name: string, { type, derived, versions, minEncryptionVersion }: TransitKey): object {
  const keys = versions.map(({ privateKey }, index) => {
    const { x = "" } = privateKey.export({ format: "jwk" });
    const publicKey = Buffer.from(x, "base64url").toString("base64");
    return [index + 1, { name: type, public_key: publicKey, creation_time: "2026-03-01T09:30:00Z" }] as const;
  });
  return {
    name,
    type,
    derived,
    latest_version: versions.length,
    min_encryption_version: minEncryptionVersion,
    min_decryption_version: 1,
    supports_signing: true,
    keys: Object.fromEntries(keys),
  };
}

function readKv({ secrets }: VaultDouble, path: string): Answer {
  const data = secrets.get(path);
  if (data === undefined) return { status: 404 };
  // Vault also answers 404 for a deleted version, and then shows its metadata.
  const metadata = { version: 1, destroyed: false, deletion_time: data ? "" : "2026-03-01T09:30:00Z" };
  return { status: data ? 200 : 404, body: envelope({ data: { data, metadata } }) };
}

function issueToken({ tokens }: VaultDouble): Answer {
  const token = `hvs.${randomBytes(12).toString("hex")}`;
  tokens.set(token, { seconds: 3_600, renewable: true });
  return succeed({ auth: { client_token: token, lease_duration: 3_600, renewable: true } });
}

function succeed(part: object): Answer {
  return { status: 200, body: envelope(part) };
}

function envelope(part: object): object {
  return {
    request_id: randomUUID(),
    lease_id: "",
    renewable: false,
    lease_duration: 0,
    data: null,
    auth: null,
    ...part,
  };
}

function refuse(status: number, reason: string): Answer {
  return { status, body: { errors: [reason] } };
}
