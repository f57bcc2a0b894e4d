import {
  CapabilityError,
  canonical,
  type ExecutionContext,
  type Json,
  type JsonObject,
  sha256Hex,
} from "@paraph/core";
import { z } from "zod";
import type { ResponseOutput } from "../egress/response-output.ts";
import type { ApiOperation } from "./operation.ts";
import { type OpenApiContext, sendOperation } from "./send-operation.ts";

/** The current state of the resource that an operation would change. */
export type CurrentState =
  | { readonly kind: "absent" }
  | { readonly kind: "present"; readonly answer: ResponseOutput };

/**
 * Reads the resource that an operation would change. `reader` is the operation that reads it, and `input` is the input
 * of the changing operation.
 */
export async function readCurrentState(
  openApiContext: OpenApiContext,
  reader: ApiOperation,
  input: JsonObject,
  context: ExecutionContext,
): Promise<CurrentState> {
  try {
    const answer = await sendOperation(openApiContext, reader, input, context);
    if (answer.cut && !isStrongEtag(answer.headers.etag)) throw stateTooLargeFault();
    return { kind: "present", answer };
  } catch (error) {
    if (error instanceof CapabilityError && ["http-404", "http-410"].includes(error.code))
      return { kind: "absent" };
    throw error;
  }
}

const basisSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("absent") }),
  z.object({ kind: z.literal("etag"), etag: z.string() }),
  z.object({ kind: z.literal("weak-etag"), etag: z.string() }),
  z.object({ kind: z.literal("body"), sha256: z.string() }),
]);

/** The basis of a change: the host's ETag, a hash of the body if there is no ETag, or the absence of the resource. */
export type StateBasis = z.output<typeof basisSchema>;

export function toStateBasis(current: CurrentState): StateBasis {
  if (current.kind === "absent") return { kind: "absent" };
  const { headers, body } = current.answer;
  const { etag } = headers;
  if (etag === undefined) return { kind: "body", sha256: sha256Hex(canonical(body)) };
  return { kind: isStrongEtag(etag) ? "etag" : "weak-etag", etag };
}

export function parseStateBasis(raw: Json | undefined): StateBasis {
  const read = basisSchema.safeParse(raw);
  if (read.success) return read.data;
  throw new CapabilityError(
    "permanent",
    "basis-missing",
    "The call has no basis from a preview. Preview it first.",
  );
}

/**
 * [P7] Returns headers that make the host reject the request if the basis has changed. For a weak ETag or a hash, it
 * returns none, because hosts can compare only strong ETags.
 */
export function toConditionHeaders(basis: StateBasis, method: string): Record<string, string> {
  if (basis.kind === "etag") return { "if-match": basis.etag };
  return basis.kind === "absent" && method === "PUT" ? { "if-none-match": "*" } : {};
}

function isStrongEtag(etag: string | undefined): boolean {
  return etag?.startsWith('"') ?? false;
}

function stateTooLargeFault(): CapabilityError {
  return new CapabilityError(
    "permanent",
    "too-large",
    "The resource is larger than `maxBytes` and has no `ETag`, so Paraph can't detect changes to it. Raise `maxBytes`.",
  );
}
