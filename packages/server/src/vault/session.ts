import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { VaultAuth } from "./config.ts";
import type { VaultConnection, VaultResponse } from "./connection.ts";
import { VaultError } from "./vault-error.ts";

/** Requests to Vault with a token that stays valid. */
export interface VaultSession {
  request(method: "GET" | "POST", path: string, body?: object): Promise<VaultResponse>;
  close(): Promise<void>;
}

/** Options of `openVaultSession`. */
export interface SessionOptions {
  readonly auth: VaultAuth | undefined;
  /** The folder that the files of `auth` are relative to. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Called with a code if a renewal fails. Requests go on with the token as long as it is valid. */
  readonly onProblem: (code: string) => void;
  /** Runs a function after a time, and returns a function that cancels it. */
  readonly schedule?: (run: () => void, ms: number) => () => void;
}

/** A token with its time to live. Without `renewable`, only a new login can replace it. */
interface Token {
  readonly value: string;
  readonly seconds: number;
  readonly renewable: boolean;
}

const serviceAccountToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";
/** The pause before a failed renewal is repeated, in seconds. */
const retrySeconds = 15;
const maxPauseSeconds = 24 * 60 * 60;

/**
 * Logs in to Vault, and renews the token after half of its time. If a renewal fails or Vault rejects the token, it logs
 * in again. For a token from a file, that reads the file again.
 */
export async function openVaultSession(
  connection: VaultConnection,
  options: SessionOptions,
): Promise<VaultSession> {
  const { onProblem, schedule = scheduleTimer } = options;
  let closed = false;
  let cancel = () => {};
  let token = await logIn(connection, options);
  let loginSeconds = token.seconds;
  let loggingIn: Promise<void> | undefined;
  const planRenewal = (seconds: number) => {
    cancel();
    if (seconds <= 0 || closed) return;
    cancel = schedule(() => void renew(), Math.min(seconds, maxPauseSeconds) * 1_000);
  };
  const use = (next: Token) => {
    token = next;
    planRenewal(next.seconds / 2);
  };
  /** All requests whose token was rejected share one login. */
  const logInAgain = () => {
    loggingIn ??= logIn(connection, options)
      .then((next) => {
        loginSeconds = next.seconds;
        use(next);
      })
      .finally(() => {
        loggingIn = undefined;
      });
    return loggingIn;
  };
  const renew = async () => {
    try {
      const renewed = token.renewable ? await renewToken(connection, token) : undefined;
      // Near its maximum lifetime, Vault renews a token for less and less time.
      if (renewed && renewed.seconds * 2 >= loginSeconds) use(renewed);
      else await logInAgain();
    } catch (error) {
      if (closed) return;
      onProblem(error instanceof VaultError ? error.code : "vault-invalid");
      planRenewal(retrySeconds);
    }
  };
  use(token);
  return {
    async request(method, path, body) {
      const used = token.value;
      try {
        return await connection.request(method, path, { token: used, body });
      } catch (error) {
        if (!isDenied(error)) throw error;
        // Vault answers 403 both for an invalid token and for a policy. Only a new login helps in the first case.
        if (used === token.value && (await isTokenValid(connection, used))) throw error;
        if (used === token.value) await logInAgain();
        return connection.request(method, path, { token: token.value, body });
      }
    },
    async close() {
      closed = true;
      cancel();
      await connection.close();
    },
  };
}

async function logIn(
  connection: VaultConnection,
  { auth, folder, environment }: SessionOptions,
): Promise<Token> {
  const read = (file: string) => readSecretFile(resolve(folder, file));
  if (auth?.appRole) {
    const { roleId, secretIdFile, mount = "approle" } = auth.appRole;
    const body = { role_id: roleId, secret_id: await read(secretIdFile) };
    return toToken(await connection.request("POST", `auth/${mount}/login`, { body }));
  }
  if (auth?.kubernetes) {
    const { role, tokenFile = serviceAccountToken, mount = "kubernetes" } = auth.kubernetes;
    const body = { role, jwt: await read(tokenFile) };
    return toToken(await connection.request("POST", `auth/${mount}/login`, { body }));
  }
  const value = auth?.tokenFile === undefined ? environment.VAULT_TOKEN?.trim() : await read(auth.tokenFile);
  if (!value)
    throw new VaultError(
      "vault-denied",
      "There is no token for Vault. Set the variable VAULT_TOKEN, or choose another login with `vault.auth`.",
    );
  const { data } = await lookUpToken(connection, value);
  const { ttl, renewable } = (data ?? {}) as { ttl?: unknown; renewable?: unknown };
  return { value, seconds: typeof ttl === "number" ? ttl : 0, renewable: renewable === true };
}

function lookUpToken(connection: VaultConnection, token: string): Promise<VaultResponse> {
  return connection.request("GET", "auth/token/lookup-self", { token });
}

async function isTokenValid(connection: VaultConnection, token: string): Promise<boolean> {
  try {
    await lookUpToken(connection, token);
    return true;
  } catch (error) {
    if (isDenied(error)) return false;
    throw error;
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof VaultError && error.code === "vault-denied";
}

async function renewToken(connection: VaultConnection, { value }: Token): Promise<Token> {
  return toToken(await connection.request("POST", "auth/token/renew-self", { token: value, body: {} }));
}

function toToken({ auth }: VaultResponse): Token {
  const { client_token: value, lease_duration: seconds, renewable } = (auth ?? {}) as Record<string, unknown>;
  if (typeof value !== "string" || value === "" || typeof seconds !== "number")
    throw new VaultError(
      "vault-invalid",
      "Vault's answer to the login has no token. Check `vault.auth` and its mount.",
    );
  return { value, seconds, renewable: renewable === true };
}

async function readSecretFile(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new VaultError(
      "vault-denied",
      `The file \`${file}\` for the login to Vault cannot be read (${(error as NodeJS.ErrnoException).code}). Check \`vault.auth\` and the rights of the file.`,
    );
  }
}

function scheduleTimer(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
