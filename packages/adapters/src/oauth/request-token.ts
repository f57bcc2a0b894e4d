import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import type { HttpAgents } from "../egress/http-agents.ts";
import { toStatusFault } from "../egress/http-fault.ts";
import { type RawResponse, sendRequest } from "../egress/send-request.ts";
import type { OauthClient } from "./config.ts";

/** The answer of a token endpoint (RFC 6749, section 5.1). */
export interface GrantedTokens {
  readonly accessToken: string;
  readonly lifetimeMs: number | undefined;
  /** The refresh token that replaces the one in the request. */
  readonly refreshToken: string | undefined;
}

// An access token becomes part of a header and of SASL messages, so it must not contain separators.
const answerSchema = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{1,16384}$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().nonnegative().optional(),
  refresh_token: z
    .string()
    .regex(/^[\x20-\x7e]{1,16384}$/)
    .optional(),
});

/** Requests an access token with the refresh token, or with the client's own secret. */
export async function requestToken(client: OauthClient, agents: HttpAgents): Promise<GrantedTokens> {
  const url = new URL(client.tokenUrl);
  const answered = await sendRequest(agents, {
    method: "POST",
    url,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: toForm(client),
    signal: AbortSignal.timeout(requestTimeoutMs),
    maxBytes: maxAnswerBytes,
  }).catch((error) => {
    throw toUnreachableFault(error, url);
  });
  if (answered.status !== 200) throw toRefusedFault(answered, url);
  const read = answerSchema.safeParse(parseJson(answered));
  if (!read.success)
    throw new CapabilityError(
      "permanent",
      "oauth-answer-invalid",
      `\`${url.host}\` answered without a bearer token. Check \`tokenUrl\` in \`oauth\`.`,
    );
  const { access_token, expires_in, refresh_token } = read.data;
  return {
    accessToken: access_token,
    lifetimeMs: expires_in === undefined ? undefined : expires_in * 1_000,
    refreshToken: refresh_token,
  };
}

function toForm({ clientId, clientSecret, refreshToken, scope }: OauthClient): string {
  const form = new URLSearchParams({
    grant_type: refreshToken === undefined ? "client_credentials" : "refresh_token",
    client_id: clientId,
  });
  const rest = { client_secret: clientSecret, refresh_token: refreshToken, scope };
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) form.set(name, value);
  return form.toString();
}

/** A request for a token changes nothing at the server that the call is for, so no fault is ambiguous. */
function toUnreachableFault(error: unknown, { host }: URL): unknown {
  if (!(error instanceof CapabilityError)) return error;
  const message = `Paraph got no access token from \`${host}\`. ${error.message}`;
  if (error.kind === "permanent") return new CapabilityError("permanent", error.code, message);
  return unavailableFault(host, `the connection failed: ${error.code}`);
}

/** [P10] Quotes only the error code of the answer. Its other texts may contain the secrets of the request. */
function toRefusedFault(answered: RawResponse, { host }: URL): CapabilityError {
  const { kind, retryAfterMs } = toStatusFault(answered, { method: "POST", attempt: 1 }, "") ?? {};
  const reason = `it answered ${answered.status}`;
  if (kind !== undefined && kind !== "permanent")
    return unavailableFault(host, reason, retryAfterMs === undefined ? {} : { retryAfterMs });
  const { error } = (parseJson(answered) ?? {}) as { readonly error?: unknown };
  const code = typeof error === "string" && Object.hasOwn(remedies, error) ? error : undefined;
  return new CapabilityError(
    "permanent",
    "oauth-refused",
    `\`${host}\` refused to issue an access token: ${code === undefined ? reason : `\`${code}\``}. ${
      code === undefined ? "Check `oauth`." : remedies[code]
    }`,
  );
}

const checkClient = "Check `clientId`, and the secret that `clientSecret` names.";

/** The remedies for the error codes of RFC 6749, section 5.2. */
const remedies: Readonly<Record<string, string>> = {
  invalid_client: checkClient,
  invalid_grant:
    "The refresh token has expired, was revoked, was used up, or belongs to another client. Log in again, and replace the secret that `refreshToken` names.",
  invalid_request: "Check `oauth`.",
  invalid_scope: "Check `scope`.",
  unauthorized_client: checkClient,
  unsupported_grant_type:
    "Check `tokenUrl`. Without `refreshToken`, the server must allow client credentials.",
};

function unavailableFault(
  host: string,
  why: string,
  options: { retryAfterMs?: number } = {},
): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "oauth-unavailable",
    `Paraph got no access token from \`${host}\`, because ${why}. Check \`tokenUrl\` in \`oauth\` if this lasts.`,
    options,
  );
}

function parseJson({ body }: RawResponse): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The timeout of a request. It is shorter than the time that other processes wait for the lock of a refresh token. */
const requestTimeoutMs = 15_000;
const maxAnswerBytes = 128 * 1024;
