import type { z } from "@hono/zod-openapi";
import type { CallRequest } from "@paraph/core";
import type { Context } from "hono";
import type { Env } from "../context.ts";
import type { newCall } from "../schemas/call.ts";
import { defined } from "../views/omit-undefined.ts";
import { traceparentOf } from "./traceparent.ts";

/** What every call may carry beside its input. */
export function asked(
  { session, purpose, requirements }: Pick<z.output<typeof newCall>, "session" | "purpose" | "requirements">,
  key?: string,
): Pick<CallRequest, "key" | "session" | "purpose" | "requirements"> {
  return {
    ...(key !== undefined && { key }),
    ...(session && { session: defined(session) }),
    ...(purpose !== undefined && { purpose }),
    ...(requirements && { requirements: defined(requirements) }),
  };
}

export function traced(c: Context<Env>): Pick<CallRequest, "trace"> {
  const trace = traceparentOf(c);
  return trace === undefined ? {} : { trace };
}
