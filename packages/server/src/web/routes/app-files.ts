import { Hono } from "hono";
import type { Env } from "../../http/context.ts";
import { icons } from "../app/icons.ts";
import { manifest } from "../app/manifest.ts";
import { pushScript } from "../app/push-script.ts";
import { serviceWorker } from "../app/service-worker.ts";

const day = "public, max-age=86400";

/** Creates the routes of the files that make the pages installable. They are public, and the same for everyone. */
export function createAppFileRoutes(): Hono<Env> {
  const app = new Hono<Env>()
    .get("/manifest.webmanifest", (c) =>
      c.body(manifest, 200, { "content-type": "application/manifest+json", "cache-control": day }),
    )
    // Browsers look for a new version of the worker whenever a page uses it.
    .get("/service-worker.js", (c) =>
      c.body(serviceWorker, 200, {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "no-cache",
      }),
    )
    .get("/push.js", (c) =>
      c.body(pushScript, 200, {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable",
      }),
    );
  for (const [path, image] of icons)
    app.get(path, (c) => c.body(image, 200, { "content-type": "image/png", "cache-control": day }));
  return app;
}
