import type { MiddlewareHandler } from "hono";
import type { Env } from "../context.ts";
import { HttpProblem } from "../problem.ts";

/** [TRUST 24] Rejects an address with a zero byte. PostgreSQL stores no such text, so a query with it would fail. */
export const rejectZeroByte: MiddlewareHandler<Env> = async (c, next) => {
  if (c.req.url.includes("%00"))
    throw new HttpProblem("parameter-invalid", "The address contains a zero byte (`%00`). Remove it.");
  return next();
};
