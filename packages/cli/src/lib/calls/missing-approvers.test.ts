import { expect, it, onTestFinished } from "vitest";
import { captureOutput } from "../../testing/captured-output.ts";
import { startTestServer } from "../../testing/test-server.ts";
import type { CallView } from "../api/api-views.ts";
import { printMissingApprovers } from "./place-call.ts";

const waiting = { for: "approval", approval: { guards: [{ group: "owners", quorum: 2 }] } };

it.each([
  ["has too few members", 200, { principals: [] }, /the group owners has 0 members, but 2 must approve/],
  ["cannot be read with this key", 403, { code: "forbidden", status: 403 }, /^$/],
])("a call that waits for a group whose list %s", async (_, status, body, expected) => {
  const server = await startTestServer((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  onTestFinished(server.remove);
  const { output, written } = captureOutput({ color: false });
  await printMissingApprovers(
    {
      ...{ output, environment: { PARAPH_KEY: "key" }, folder: "/", url: server.url, json: false },
      ...{ signal: new AbortController().signal, takeTime: () => {}, version: "0" },
      ...{ question: undefined, secretQuestion: undefined },
    },
    { waiting } as unknown as CallView,
  );
  expect(written.stderr).toMatch(expected);
});
