import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { requireHeaderValue } from "../egress/agent-headers.ts";
import type { HttpAgents } from "../egress/http-agents.ts";
import { isRedirectedRead, redirectedFault, toStatusFault } from "../egress/http-fault.ts";
import { isReadMethod } from "../egress/read-method.ts";
import { type ResponseOutput, readErrorText, toResponseOutput } from "../egress/response-output.ts";
import { fillSecrets } from "../egress/secrets.ts";
import { sendRequest } from "../egress/send-request.ts";
import type { HttpAdapterConfig } from "./config.ts";
import { requireAllowedUrl } from "./request-url.ts";

/** The context that the capabilities of one adapter share. */
export interface HttpContext {
  readonly name: string;
  readonly config: HttpAdapterConfig;
  readonly agents: HttpAgents;
}

export interface AgentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** Sends the request to a configured host, with that host's credential. */
export async function performRequest(
  httpContext: HttpContext,
  request: AgentRequest,
  context: ExecutionContext,
): Promise<ResponseOutput> {
  const { config, agents } = httpContext;
  const url = requireAllowedUrl(request.url, config);
  const headers = readAgentHeaders(request.headers ?? {}, config);
  const host = config.hosts[url.origin]!;
  const { secretHeaders, secrets } = await readCredential(host, context);
  const key = isReadMethod(request.method) ? undefined : getIdempotencyHeader(host);
  const answered = await sendRequest(agents, {
    method: request.method,
    url,
    headers: { ...headers, ...(key && { [key]: context.key }) },
    secretHeaders,
    ...(request.body !== undefined && { body: request.body }),
    signal: context.signal,
    maxBytes: config.maxBytes,
  });
  if (isRedirectedRead(request.method, answered))
    throw redirectedFault(answered, secrets, "Send a new call with that URL.");
  const conditions = { method: request.method, attempt: context.attempt, keyed: key !== undefined };
  const fault = toStatusFault(answered, conditions, readErrorText(answered, secrets));
  if (fault) throw fault;
  return toResponseOutput(answered, secrets);
}

export function getIdempotencyHeader({
  idempotencyKey,
}: HttpAdapterConfig["hosts"][string]): string | undefined {
  return idempotencyKey === true ? "idempotency-key" : idempotencyKey;
}

function readAgentHeaders(
  given: Readonly<Record<string, string>>,
  config: HttpAdapterConfig,
): Record<string, string> {
  const may = new Set(config.headers.map((name) => name.toLowerCase()));
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!may.has(lower)) throw headerNotAllowedFault(config);
    headers[lower] = requireHeaderValue(lower, value);
  }
  return headers;
}

function headerNotAllowedFault({ headers }: HttpAdapterConfig): CapabilityError {
  return new CapabilityError(
    "permanent",
    "header-not-allowed",
    `The call sets a header that is not allowed. Allowed headers: ${headers.join(", ")}.`,
  );
}

/** Returns the header with the host's credential, and the secrets in it. */
export async function readCredential(
  { credential }: HttpAdapterConfig["hosts"][string],
  context: Pick<ExecutionContext, "credential">,
) {
  if (!credential) return { secretHeaders: {}, secrets: [] };
  const { text, secrets } = await fillSecrets(credential.value, context.credential);
  return { secretHeaders: { [credential.header.toLowerCase()]: text }, secrets };
}
