import type { Context } from "hono";

const maxWaitSeconds = 60;

/** RFC 7240 `Prefer: wait=N`, at most a minute. What cannot be understood is, as that RFC says, ignored. */
export function readPreferredWait(c: Context): { readonly ms: number; readonly applied: string | undefined } {
  const given = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(c.req.header("prefer") ?? "")?.[1];
  if (given === undefined) return { ms: 0, applied: undefined };
  const seconds = Math.min(Number(given), maxWaitSeconds);
  return { ms: seconds * 1_000, applied: `wait=${seconds}` };
}
