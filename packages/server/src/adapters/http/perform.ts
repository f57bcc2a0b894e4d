import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { type Answer, answerOf, wordsOf } from "../../outbound/answer.ts";
import type { Ways } from "../../outbound/connect.ts";
import { type Answered, exchange, isRead } from "../../outbound/exchange.ts";
import { statusFault } from "../../outbound/fault.ts";
import { headerValue } from "../../outbound/header.ts";
import { filledIn, withoutSecrets } from "../../outbound/secret.ts";
import type { HttpConfig } from "./config.ts";
import { placeOf } from "./place.ts";

/** What the capabilities of one adapter share. */
export interface Setting {
  readonly name: string;
  readonly config: HttpConfig;
  readonly ways: Ways;
}

export interface Wanted {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** Sends what was asked for to a host that is configured, with what that host needs to know of who asks. */
export async function perform(setting: Setting, wanted: Wanted, world: ExecutionContext): Promise<Answer> {
  const { config, ways } = setting;
  const url = placeOf(wanted.url, config);
  const headers = agentsHeaders(wanted.headers ?? {}, config);
  const host = config.hosts[url.origin]!;
  const { secretHeaders, secrets } = await credentialOf(host, world);
  const key = isRead(wanted.method) ? undefined : keyHeader(host);
  const answered = await exchange(ways, {
    method: wanted.method,
    url,
    headers: { ...headers, ...(key && { [key]: world.key }) },
    secretHeaders,
    ...(wanted.body !== undefined && { body: wanted.body }),
    signal: world.signal,
    mostBytes: config.maxBytes,
  });
  if (isRedirected(wanted.method, answered)) throw redirected(answered, secrets);
  const conditions = { method: wanted.method, attempt: world.attempt, keyed: key !== undefined };
  const fault = statusFault(answered, conditions, wordsOf(answered, secrets));
  if (fault) throw fault;
  return answerOf(answered, secrets);
}

function isRedirected(method: string, { status }: Answered): boolean {
  return isRead(method) && status >= 300 && status < 400 && status !== 304;
}

/** [TRUST 30] Not followed: policy ruled on the URL that was named, and the host must not put another in its place. */
function redirected({ status, headers }: Answered, secrets: readonly string[]): CapabilityError {
  const location = withoutSecrets([headers.location].flat()[0] ?? "", secrets).slice(0, 2_000);
  const message = `The host answered ${status} and points to \`${location.toWellFormed()}\`: send that as a call of its own.`;
  return new CapabilityError("permanent", "redirected", message);
}

export function keyHeader({ idempotencyKey }: HttpConfig["hosts"][string]): string | undefined {
  return idempotencyKey === true ? "idempotency-key" : idempotencyKey;
}

function agentsHeaders(given: Readonly<Record<string, string>>, config: HttpConfig): Record<string, string> {
  const may = new Set(config.headers.map((name) => name.toLowerCase()));
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!may.has(lower)) throw headerRefused(config);
    headers[lower] = headerValue(lower, value);
  }
  return headers;
}

function headerRefused({ headers }: HttpConfig): CapabilityError {
  return new CapabilityError(
    "permanent",
    "header-not-allowed",
    `Of the headers, only these may be set: ${headers.join(", ")}.`,
  );
}

async function credentialOf({ credential }: HttpConfig["hosts"][string], world: ExecutionContext) {
  if (!credential) return { secretHeaders: {}, secrets: [] };
  const { text, secrets } = await filledIn(credential.value, world.credential);
  return { secretHeaders: { [credential.header.toLowerCase()]: text }, secrets };
}
