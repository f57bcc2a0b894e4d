// Tests what the command line says if the server is lost after it has recorded a request or a decision.
import type { RequestListener } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../../testing/run-cli.ts";
import { startTestServer } from "../../testing/test-server.ts";

const call = { call: "call_1", capability: "mail.send", headline: "Send", state: "performing", masked: [] };
const digest = "ab".repeat(32);
const round = {
  kind: "round",
  approval: "ask_1",
  call: "call_1",
  round: 1,
  status: "open",
  digest,
  guards: [],
  changes: [],
};

async function run(args: readonly string[], respond: RequestListener) {
  const server = await startTestServer(respond);
  onTestFinished(server.remove);
  const environment = { PARAPH_URL: server.url, PARAPH_KEY: "key", PARAPH_APPROVER_KEY: "key" };
  return runCli(args, { folder: server.folder, environment });
}

/** Answers every request that changes something, and breaks the connection of every wait for the call. */
const loseAfterRecording: RequestListener = (request, response) => {
  if (request.url?.startsWith("/v1/calls/")) return void request.socket.destroy();
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(request.method === "GET" ? round : call));
};

it("a call that was recorded continues without the connection, and the message says so", async () => {
  const lost = await run(["call", "mail.send"], loseAfterRecording);
  expect(lost.stderr).toMatch(/^paraph: The call is recorded\. .*`paraph show call_1`/);
  expect(lost).toMatchObject({ code: 8, stderr: expect.not.stringContaining("https://") });
});

it("an approval that was recorded counts without the connection, and the message says so", async () => {
  const decide = ["approve", "ask_1", "--fingerprint", digest.slice(0, 16), "--yes"];
  const lost = await run(decide, loseAfterRecording);
  expect(lost.stderr).toMatch(/^paraph: Your approval is recorded\. .*`paraph show call_1`/);
  expect(lost.code).toBe(8);
});

it("[P1] if the answer does not tell whether a call was recorded, the message names the key that makes a repetition safe", async () => {
  const keys: unknown[] = [];
  const { code, stderr } = await run(["call", "mail.send"], (request, response) => {
    keys.push(request.headers["idempotency-key"]);
    response.writeHead(503, { "content-type": "application/problem+json" });
    response.end(
      JSON.stringify({ status: 503, code: "database-unavailable", detail: "the same `Idempotency-Key`" }),
    );
  });
  expect(code).toBe(1);
  expect(stderr).toContain(`With \`--key ${keys.at(-1)}\`, the repeated request is the same call.`);
  expect(stderr).not.toContain("Idempotency-Key");
});
