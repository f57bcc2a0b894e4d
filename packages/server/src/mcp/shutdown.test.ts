import { expect, it } from "vitest";
import { McpTestServer } from "./testing/server.ts";

it("stopping the server ends streams, and answers waiting clients with the status pending", async () => {
  const server = new McpTestServer();
  await server.start({ patienceMs: 60_000 });
  const listening = await server.client({ name: "listening" });
  await listening.listen({ toolsListChanged: true });
  const waiting = await server.client({ name: "waiting" });
  const answer = waiting.callTool({ name: "notes_burn", arguments: { text: "x" } });
  await server.waitForApprovals();
  while (server.service.countWaiters() === 0) await new Promise((resolve) => setImmediate(resolve));
  await server.http.stop();
  expect((await answer).structuredContent).toMatchObject({ status: "pending" });
  await server.stop();
});
