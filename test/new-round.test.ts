import { afterAll, beforeAll, expect, it } from "vitest";
import { buildMailDocument } from "../packages/server/src/channels/mail/document.ts";
import { buildCallContent } from "../packages/server/src/channels/notice-content.ts";
import { composeCall } from "../packages/server/src/channels/slack/compose-message.ts";
import { testPolicy } from "../packages/server/src/http/testing/capabilities.ts";
import { TestServer } from "../packages/server/src/http/testing/server.ts";
import { readText } from "./support/web/dom.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const cause = "Policy now demands other approvals.";
const readPage = async (approval: string) => {
  const response = await server.fetch(`/approvals/${approval}`, { headers: { cookie: "__Host-paraph=bo" } });
  return readText(await response.text()).replace(/\s+/g, " ");
};

/** Approves a refund under one person's rule, which then demands two people. Returns both approvals. */
async function tightenPolicy() {
  const { body } = await server.call("billing.refund", { payment: "pay_7", cents: 1250 });
  const set = testPolicy.current("acme");
  const guards = new Map([...set.guards].map(([id, guard]) => [id, { ...guard, quorum: 2 }]));
  Object.assign(server.service.ports, { policy: { ...testPolicy, current: () => ({ ...set, guards }) } });
  const { id } = body.approval;
  const { digest } = body.waiting.approval;
  await server.post(`/v1/approvals/${id}/decision`, "bo", { decision: "approve", digest });
  const read = async () => (await server.get(`/v1/calls/${body.call}`, "bo")).body.approval;
  await expect.poll(async () => (await read()).round).toBe(2);
  return { call: body.call as string, first: id as string, second: (await read()).id as string };
}

it("[P5] the page, the API, mails and Slack say that policy changed, not the underlying data", async () => {
  const { call, first, second } = await tightenPolicy();
  const asked = `${cause} Earlier votes no longer count. Review the request again.`;
  expect(await readPage(second)).toContain(asked);
  expect(await readPage(first)).toContain(`${cause} Paraph asked for a new approval.`);
  expect((await server.get(`/v1/approvals/${second}`, "bo")).body).toMatchObject({
    round: 2,
    voidCode: "approval-insufficient",
  });
  const { ports, store } = server.service;
  const found = (await store.load({ tenant: "acme", call }))!;
  const deps = { ports, url: () => "https://paraph.example.com" };
  const content = await buildCallContent(found, found.approval!, { kind: "request", seq: 0 }, deps);
  expect(JSON.stringify(buildMailDocument(content))).toContain(asked);
  expect(JSON.stringify(composeCall(content, "acme"))).toContain(asked);
});
