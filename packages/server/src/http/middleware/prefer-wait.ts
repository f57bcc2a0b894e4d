import type { Context } from "hono";

const maxWaitSeconds = 60;

/** Parses `Prefer: wait=N` of RFC 7240, up to 60 seconds. As the RFC demands, an invalid value is ignored. */
export function readPreferredWait(c: Context): { readonly ms: number; readonly applied: string | undefined } {
  const given = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(c.req.header("prefer") ?? "")?.[1];
  if (given === undefined) return { ms: 0, applied: undefined };
  const seconds = Math.min(Number(given), maxWaitSeconds);
  return { ms: seconds * 1_000, applied: `wait=${seconds}` };
}
