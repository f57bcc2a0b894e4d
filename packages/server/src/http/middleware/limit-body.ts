import type { MiddlewareHandler } from "hono";
import { HttpProblem } from "../problem.ts";

/**
 * Rejects a body of more than `maxBytes`. A body without a declared length is read here, because Hono's own limit
 * cannot copy the requests of its Node adapter and fails on such a body.
 */
export function limitBody(maxBytes: number, message: string): MiddlewareHandler {
  const reject = () => new HttpProblem("body-too-large", message);
  return async (c, next) => {
    const { body, headers } = c.req.raw;
    const length = headers.has("transfer-encoding") ? null : headers.get("content-length");
    if (length !== null && Number(length) > maxBytes) throw reject();
    if (length !== null || body === null) return next();
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw reject();
      chunks.push(chunk);
    }
    c.req.raw = new Request(c.req.url, { method: c.req.method, headers, body: Buffer.concat(chunks) });
    return next();
  };
}
