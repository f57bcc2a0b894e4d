import { Agent } from "undici";
import { VaultError } from "./vault-error.ts";

/** A response of Vault with a status of success. Vault puts results in `data`, and logins in `auth`. */
export interface VaultResponse {
  readonly data?: unknown;
  readonly auth?: unknown;
}

/** Sends requests to Vault's HTTP API. */
export interface VaultConnection {
  request(
    method: "GET" | "POST",
    path: string,
    options: { readonly token?: string | undefined; readonly body?: object | undefined },
  ): Promise<VaultResponse>;
  close(): Promise<void>;
}

/** Options of `connectVault`. */
export interface ConnectionOptions {
  readonly url: string;
  readonly namespace?: string | undefined;
  /** The CA of Vault's certificate, as PEM. */
  readonly ca?: string | undefined;
  readonly timeoutMs: number;
}

const maxBytes = 1 << 20;

/** Creates a connection to Vault. It follows no redirects, so that the token goes only to the configured address. */
export function connectVault({ url, namespace, ca, timeoutMs }: ConnectionOptions): VaultConnection {
  const { origin } = new URL(url);
  const agent = new Agent({
    keepAliveTimeout: 30_000,
    connections: 16,
    pipelining: 1,
    maxResponseSize: maxBytes,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs, ...(ca !== undefined && { ca }) },
  });
  const send = async (method: "GET" | "POST", path: string, token: string | undefined, body?: object) => {
    try {
      const response = await agent.request({
        origin,
        path: `/v1/${path}`,
        method,
        headers: {
          accept: "application/json",
          "x-vault-request": "true",
          ...(token !== undefined && { "x-vault-token": token }),
          ...(namespace !== undefined && { "x-vault-namespace": namespace }),
          ...(body && { "content-type": "application/json" }),
        },
        body: body ? JSON.stringify(body) : null,
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      throw new VaultError(
        "vault-unavailable",
        `Vault at ${origin} does not answer (${describeCause(error)}). Check \`vault.url\`, the network and the certificate.`,
        { cause: error },
      );
    }
  };
  return {
    async request(method, path, { token, body }) {
      const { status, text } = await send(method, path, token, body);
      if (status >= 200 && status < 300) return parseResponse(text, path);
      throw toVaultError(status, `${method} ${path}`, text);
    },
    close: () => agent.close(),
  };
}

function parseResponse(text: string, path: string): VaultResponse {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) return parsed;
  } catch {
    // The error below reports it.
  }
  throw new VaultError(
    "vault-invalid",
    `Vault's answer to ${path} is not JSON. Check that \`vault.url\` is the address of Vault.`,
  );
}

/** The statuses of https://developer.hashicorp.com/vault/api-docs#http-status-codes. */
function toVaultError(status: number, request: string, text: string): VaultError {
  const reasons = readReasons(text);
  const said = reasons === "" ? "" : ` Vault says: ${reasons}.`;
  if (status === 403)
    return new VaultError(
      "vault-denied",
      `Vault refused ${request} (403).${said} Check that the token is valid and that its policy allows this path.`,
    );
  if (status === 404)
    return new VaultError(
      "vault-not-found",
      `Vault has nothing at ${request} (404).${said} Check its mount and name.`,
    );
  if (status >= 500 || status === 429 || status === 472 || status === 473)
    return new VaultError(
      "vault-unavailable",
      `Vault cannot answer ${request} now (${status}).${said} Check that Vault is unsealed and has an active node.`,
    );
  if (status >= 300 && status < 400)
    return new VaultError(
      "vault-unavailable",
      `Vault redirects ${request} to another node (${status}). Set \`vault.url\` to the active node or a load balancer.`,
    );
  return new VaultError("vault-invalid", `Vault refused ${request} (${status}).${said}`);
}

/** Reads Vault's reasons. They name paths and rules, never tokens or values. */
function readReasons(text: string): string {
  try {
    const { errors } = JSON.parse(text) as { errors?: unknown };
    return Array.isArray(errors)
      ? errors.map(String).join("; ").replace(/\s+/g, " ").trim().slice(0, 300)
      : "";
  } catch {
    return "";
  }
}

function describeCause(error: unknown): string {
  const { name, code, cause } = error as { name?: string; code?: string; cause?: { code?: string } };
  if (name === "TimeoutError" || name === "AbortError") return "timeout";
  return code ?? cause?.code ?? name ?? "error";
}
