import {
  CapabilityError,
  type Fault,
  openMessage,
  operations,
  type ServingMessage,
  type ServingRequest,
  servingRequest,
  toFault,
} from "@paraph/core";
import { type Answers, answersTo } from "./answers.ts";
import { readBody } from "./body.ts";
import { perform } from "./perform.ts";
import { type Service, type ServingOptions, serviceFrom } from "./service.ts";

/** As Hono, Deno, Bun, Cloudflare Workers and others take it. */
export type Handler = (request: Request) => Promise<Response>;

/** Serves capabilities below `/paraph/v1/`, wherever in the address that begins. */
export async function servingHandler(options: ServingOptions): Promise<Handler> {
  return handlerOf(await serviceFrom(options));
}

export function handlerOf(service: Service): Handler {
  return async (request) => {
    const operation = operationOf(request);
    if (!operation) return problem(404, "not-found", "Capabilities are served by POST below /paraph/v1/.");
    const body = await readBody(request);
    if (body === undefined) return problem(413, "body-too-large", "A request may have 8 MiB.");
    const message = await openMessage("request", body, service.callers);
    if (!message) return problem(401, "signature-invalid", "This is not signed by anyone who may ask here.");
    return answer(request, operation, message, service);
  };
}

async function answer(
  { signal }: Request,
  operation: string,
  message: ServingMessage,
  service: Service,
): Promise<Response> {
  const answers = answersTo(message.digest, service.signer);
  try {
    const asked = understood(operation, message, service);
    await service.fresh(asked);
    if (asked.operation === "discover") {
      const contracts = [...service.hosted.values()].map(({ served }) => served);
      return await answers.whole(200, { kind: "discovered", contracts });
    }
    const hosted = service.hosted.get(asked.capability);
    if (hosted?.digest !== asked.digest) return await refused(answers, 409, toFault(contractChanged()));
    return answers.streamed((progress, gone) =>
      perform(asked, hosted, { ...service, progress, signals: [signal, gone] }),
    );
  } catch (error) {
    return refused(answers, 403, toFault(error));
  }
}

function understood(operation: string, { payload }: ServingMessage, { signer }: Service): ServingRequest {
  const asked = servingRequest.safeParse(payload);
  if (!asked.success || asked.data.operation !== operation)
    throw new CapabilityError(
      "permanent",
      "request-invalid",
      "The service does not understand this request.",
    );
  if (!asked.data.to.includes(signer.keyId))
    throw new CapabilityError("permanent", "request-misdirected", "This request is for another service.");
  return asked.data;
}

const contractChanged = () =>
  new CapabilityError(
    "not-performed",
    "contract-changed",
    "The service no longer has this contract: it is looked up again.",
  );

async function refused(answers: Answers, status: number, fault: Fault): Promise<Response> {
  return answers.whole(status, { kind: "fault", fault });
}

function operationOf({ method, url }: Request): string | undefined {
  const [, operation] = /\/paraph\/v1\/([a-z]+)$/.exec(new URL(url).pathname) ?? [];
  return method === "POST" ? operations.find((each) => each === operation) : undefined;
}

/** To whom nothing is signed: who asks like this is not known. */
function problem(status: number, code: string, detail: string): Response {
  return new Response(JSON.stringify({ status, code, detail }), {
    status,
    headers: { "content-type": "application/problem+json" },
  });
}
