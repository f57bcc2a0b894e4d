// The bare engine: a virtual object whose handler journals one empty step. This process contains no code of Paraph.
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import * as restate from "@restatedev/restate-sdk";
import { createEngineConnection } from "../../packages/server/src/engine/restate/index.ts";
import { sendToParent, stopOnDisconnect } from "../lib/in-child.ts";

const bare = restate.object({
  name: "bare",
  handlers: {
    run: restate.handlers.object.exclusive(
      // Paraph's own object has the same setting. Without journal retention Restate writes less, so the bare engine is
      // a harder baseline to match.
      { journalRetention: 0 },
      async (ctx: restate.ObjectContext): Promise<void> => {
        await ctx.run("nothing", async () => {});
      },
    ),
  },
});

const server = createServer(restate.createEndpointHandler({ services: [bare], logger: () => {} }));
server.listen(0, "127.0.0.1", () => void register());
stopOnDisconnect(async () => server.close());

async function register(): Promise<void> {
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const admin = createEngineConnection(process.env.RESTATE_ADMIN_URL ?? "");
  const answer = await admin.request("POST", "/deployments", { uri });
  await admin.close();
  if (answer.status >= 300)
    throw new Error(`the engine does not accept the bare worker: HTTP ${answer.status}`);
  await sendToParent({ kind: "ready" });
}
