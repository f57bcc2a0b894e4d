import {
  CapabilityError,
  type Fault,
  openMessage,
  type ServingMessage,
  type ServingRequest,
  servingOperations,
  servingRequest,
  toFault,
} from "@paraph/core";
import { type AnswerWriter, createAnswerWriter } from "./answer-writer.ts";
import { performOperation } from "./perform-operation.ts";
import { readBody } from "./read-body.ts";
import { createService, type HostedService, type ServingOptions } from "./service.ts";

/** A fetch handler in the form that Hono, Deno, Bun, Cloudflare Workers and others accept. */
export type Handler = (request: Request) => Promise<Response>;

/** Creates a handler that serves capabilities below `/paraph/v1/`, under any path prefix. */
export async function createServingHandler(options: ServingOptions): Promise<Handler> {
  return createHandler(await createService(options));
}

/** Creates a handler for a validated service. */
export function createHandler(service: HostedService): Handler {
  return async (request) => {
    const operation = readOperation(request);
    if (!operation)
      return createProblemResponse(404, "not-found", "Send requests with POST to a path below /paraph/v1/.");
    const body = await readBody(request);
    if (body === undefined)
      return createProblemResponse(413, "body-too-large", "The request exceeds the limit of 8 MiB.");
    const message = await openMessage("request", body, service.callers);
    if (!message)
      return createProblemResponse(
        401,
        "signature-invalid",
        "The request is not signed with the key of a permitted caller. Add the caller's public key to `callers`.",
      );
    return answerRequest(request, operation, message, service);
  };
}

async function answerRequest(
  { signal }: Request,
  operation: string,
  message: ServingMessage,
  service: HostedService,
): Promise<Response> {
  const answers = createAnswerWriter(message.digest, service.signer);
  try {
    const asked = parseRequest(operation, message, service);
    await service.requireFresh(asked);
    if (asked.operation === "discover") {
      const contracts = [...service.hosted.values()].map(({ served }) => served);
      return await answers.send(200, { kind: "discovered", contracts });
    }
    const hosted = service.hosted.get(asked.capability);
    if (hosted?.digest !== asked.digest)
      return await refuseRequest(answers, 409, toFault(contractChangedError()));
    return answers.stream((progress, abortSignal) =>
      performOperation(asked, hosted, { ...service, progress, signals: [signal, abortSignal] }),
    );
  } catch (error) {
    return refuseRequest(answers, 403, toFault(error));
  }
}

function parseRequest(
  operation: string,
  { payload }: ServingMessage,
  { signer }: HostedService,
): ServingRequest {
  const result = servingRequest.safeParse(payload);
  if (!result.success || result.data.operation !== operation)
    throw new CapabilityError(
      "permanent",
      "request-invalid",
      "The request does not have the format that this service expects. Check that Paraph and its SDK have compatible versions.",
    );
  if (!result.data.to.includes(signer.keyId))
    throw new CapabilityError(
      "permanent",
      "request-misdirected",
      "This request is for a service with another key. Check the address and the key of this service in Paraph's configuration.",
    );
  return result.data;
}

const contractChangedError = () =>
  new CapabilityError(
    "not-performed",
    "contract-changed",
    "The service no longer has this contract. Paraph fetches the contracts again.",
  );

async function refuseRequest(answers: AnswerWriter, status: number, fault: Fault): Promise<Response> {
  return answers.send(status, { kind: "fault", fault });
}

function readOperation({ method, url }: Request): string | undefined {
  const [, operation] = /\/paraph\/v1\/([a-z]+)$/.exec(new URL(url).pathname) ?? [];
  return method === "POST" ? servingOperations.find((each) => each === operation) : undefined;
}

/** Builds an error response. The response is unsigned, because the caller is not authenticated. */
function createProblemResponse(status: number, code: string, detail: string): Response {
  return new Response(JSON.stringify({ status, code, detail }), {
    status,
    headers: { "content-type": "application/problem+json" },
  });
}
