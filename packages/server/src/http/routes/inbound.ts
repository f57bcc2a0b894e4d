import { createRouter, type RouteDeps } from "../context.ts";
import { limitBody } from "../middleware/limit-body.ts";

const maxBytes = 1024 * 1024;

/** Creates the routes for requests from the services of channels. A response says nothing about why it refuses. */
export function createInboundRoutes({ inbound = [] }: Pick<RouteDeps, "inbound">) {
  const router = createRouter();
  for (const { path, handle } of inbound)
    router.post(path, limitBody(maxBytes, "The body is too large."), async (c) => {
      const body = await c.req.text();
      const { status, json } = await handle({ header: (name) => c.req.header(name), body });
      return json ? c.json(json, status) : c.body(null, status);
    });
  return router;
}
