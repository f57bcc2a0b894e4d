import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a folder and an HTTP server for one test. `remove` removes both. */
export async function startTestServer(answer: RequestListener) {
  const folder = await mkdtemp(join(tmpdir(), "paraph-test-server-"));
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    folder,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    remove: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}
