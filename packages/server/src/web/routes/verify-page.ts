import { Hono } from "hono";
import type { Env, RouteDeps } from "../../http/context.ts";

/**
 * [TRUST 22] Creates the route of the page that verifies receipts. It needs no login, because it contains no data. The
 * policy in the page allows only its own script and style by their hashes, and no connection. The header repeats it.
 */
export function createVerifyPageRoutes({ consoleFiles }: Pick<RouteDeps, "consoleFiles">): Hono<Env> {
  const app = new Hono<Env>();
  if (consoleFiles === undefined) return app;
  const { verifyPage } = consoleFiles;
  const policy = /http-equiv="content-security-policy" content="([^"]+)"/.exec(verifyPage)?.[1];
  if (policy === undefined)
    throw new Error("The page that verifies receipts has no policy. Run `npm run build`.");
  return app.get("/verify", (c) =>
    c.body(verifyPage, 200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `${policy}; frame-ancestors 'none'`,
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
    }),
  );
}
