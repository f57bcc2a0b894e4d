import type { ExecutionContext, JsonObject } from "@paraph/core";
import type { HttpAgents } from "../egress/http-agents.ts";
import { isRedirectedRead, redirectedFault, toStatusFault } from "../egress/http-fault.ts";
import { type ResponseOutput, readErrorText, toResponseOutput } from "../egress/response-output.ts";
import { sendRequest } from "../egress/send-request.ts";
import type { ApiOperation } from "./operation.ts";
import { encodeBody } from "./request-body.ts";
import { buildHeaders, buildQuery, buildUrl, fillPath } from "./request-url.ts";
import { readCredentials } from "./security.ts";

/** The context that the capabilities of one adapter share. */
export interface OpenApiContext {
  readonly name: string;
  readonly agents: HttpAgents;
  readonly maxBytes: number;
  readonly timeout: `${number}${"ms" | "s" | "m" | "h"}`;
}

/** Sends one operation. `conditions` are headers that make it conditional on the basis. */
export async function sendOperation(
  openApiContext: OpenApiContext,
  operation: ApiOperation,
  input: JsonObject,
  context: ExecutionContext,
  conditions: Readonly<Record<string, string>> = {},
): Promise<ResponseOutput> {
  const { method, parameters, body, keyHeader } = operation;
  const path = fillPath(operation.path, parameters, input);
  const headers = buildHeaders(parameters, input);
  const credentials = await readCredentials(operation.placements, context.credential);
  const secret = credentials.query.map(([name]) => name);
  const url = buildUrl(operation.server, path, [
    ...buildQuery(parameters, input, secret),
    ...credentials.query,
  ]);
  const content = body && input.body !== undefined ? encodeBody(body, input.body) : undefined;
  const answered = await sendRequest(openApiContext.agents, {
    method,
    url,
    headers: {
      accept: "application/json, */*;q=0.5",
      ...headers,
      ...(content !== undefined && { "content-type": body!.mediaType }),
      ...(keyHeader !== undefined && { [keyHeader]: context.key }),
      ...conditions,
    },
    secretHeaders: credentials.headers,
    ...(content !== undefined && { body: content }),
    signal: context.signal,
    maxBytes: openApiContext.maxBytes,
  });
  if (isRedirectedRead(method, answered))
    throw redirectedFault(answered, credentials.secrets, "Correct `server` or the path in the document.");
  const conditional = Object.keys(conditions).length > 0;
  const said = { method, attempt: context.attempt, keyed: keyHeader !== undefined, conditional };
  const fault = toStatusFault(answered, said, readErrorText(answered, credentials.secrets));
  if (fault) throw fault;
  return toResponseOutput(answered, credentials.secrets);
}
