import type { z } from "@hono/zod-openapi";
import type { CallRequest } from "@paraph/core";
import type { Context } from "hono";
import type { Env } from "../context.ts";
import type { newCallSchema } from "../schemas/call.ts";
import { omitUndefined } from "../views/omit-undefined.ts";
import { readTraceparentHeader } from "./traceparent.ts";

/** Returns the parts of a call request besides capability and input. */
export function toRequestMetadata(
  {
    session,
    purpose,
    compressedState,
    requirements,
  }: Pick<z.output<typeof newCallSchema>, "session" | "purpose" | "compressedState" | "requirements">,
  key?: string,
): Pick<CallRequest, "key" | "session" | "purpose" | "compressedState" | "requirements"> {
  return {
    ...(key !== undefined && { key }),
    ...(session && { session: omitUndefined(session) }),
    ...(purpose !== undefined && { purpose }),
    ...(compressedState !== undefined && { compressedState }),
    ...(requirements && { requirements: omitUndefined(requirements) }),
  };
}

/** Returns the caller's trace context in the form that a call request takes. */
export function readTrace(c: Context<Env>): Pick<CallRequest, "trace"> {
  const trace = readTraceparentHeader(c);
  return trace === undefined ? {} : { trace };
}
