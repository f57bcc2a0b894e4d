import { Catalog, defineCapability, type Principal, type Wake } from "@paraph/core";
import { createPlainPolicy } from "@paraph/core/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { createPerson, createTestPipeline, testAgent } from "../../../../test/support/test-pipeline.ts";
import { createBudgetKeeper } from "./budgets.ts";
import { createParaphService, type ParaphServiceDeps } from "./create-paraph-service.ts";

const other: Principal = { ...testAgent, id: "other" };
const stranger: Principal = { ...createPerson("ana"), tenant: "evil" };

const note = (adapter: string) =>
  defineCapability({
    name: `${adapter}.note`,
    version: 1,
    summary: "Take a note",
    effect: "write",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    apply: async () => ({}),
  });

/** Creates the service without HTTP, engine or database, and records what it sends and runs. */
async function service(takesHere: boolean) {
  const pipeline = await createTestPipeline("service");
  const sent: Wake[] = [];
  const ran: string[] = [];
  const ports = pipeline.ports({
    catalog: new Catalog([note("free"), note("asked")]),
    policy: createPlainPolicy({ "free.note": "allow", "asked.note": { ask: 1 } }),
    // Simulates two concurrent requests with one key, where only opening the call shows that the key is used.
    store: { ...pipeline.store.startProcess(), findByKey: async () => undefined },
  });
  const parts: ParaphServiceDeps = {
    ports,
    database: {} as ParaphServiceDeps["database"],
    messageStore: {} as ParaphServiceDeps["messageStore"],
    authenticator: {} as ParaphServiceDeps["authenticator"],
    send: async (wakes) => void sent.push(...wakes),
    inlineRunner: {
      reserve: () =>
        takesHere ? { run: async ({ call }) => void ran.push(call), release: () => {} } : undefined,
    },
    budgets: createBudgetKeeper(undefined, () => 0),
    watch: { waitForChange: async () => undefined, notify: () => {}, stop: async () => {} },
    publicKeys: [],
    url: () => "https://paraph.example",
    channels: [],
    intents: {} as ParaphServiceDeps["intents"],
    listAdapters: async () => [],
    listPendingDefinitions: async () => undefined,
    getFacades: () => new Map(),
    checkHealth: async () => ({}),
    runInTrace: (_name, _trace, body) => body(),
    currentTraceparent: () => undefined,
    onThrottled: () => {},
  };
  return { sent, ran, ...createParaphService(parts) };
}

it("[TRUST 9] only the requester and people of its tenant can find a call and its approval", async () => {
  const { requestCall, findCall, findApproval } = await service(false);
  const { call } = await requestCall({ principal: testAgent, capability: "asked.note", input: {} });
  for (const reader of [testAgent, createPerson("ana")]) {
    expect((await findCall(reader, call.call))?.call).toBe(call.call);
    expect((await findApproval(reader, call.approval!.id))?.call).toBe(call.call);
  }
  for (const reader of [other, stranger]) {
    expect(await findCall(reader, call.call)).toBeUndefined();
    expect(await findApproval(reader, call.approval!.id)).toBeUndefined();
  }
});

it("[P12] the service sends every call that it does not run inline to the engine", async () => {
  const request = { principal: testAgent, capability: "free.note", input: {} };
  const unavailable = await service(false);
  const { call } = await unavailable.requestCall(request);
  expect([unavailable.sent, unavailable.ran]).toMatchObject([[{ call: call.call }], []]);
  const near = await service(true);
  const performed = await near.requestCall(request);
  expect([near.sent, near.ran]).toEqual([[], [performed.call.call]]);
});

it("[P5] [P12] an approved call continues in the process that records the last vote, or else on the engine", async () => {
  const request = { principal: testAgent, capability: "asked.note", input: {} };
  const approveIn = async ({ requestCall, decide, sent }: Awaited<ReturnType<typeof service>>) => {
    const { call } = await requestCall(request);
    const { id, digest } = call.approval!;
    // The call has sent a message for its reminder.
    sent.length = 0;
    await decide({ approval: id, voter: createPerson("ana"), decision: "approve", digest });
    return call.call;
  };
  const unavailable = await service(false);
  const elsewhere = await approveIn(unavailable);
  expect([unavailable.sent, unavailable.ran]).toMatchObject([[{ call: elsewhere }], []]);
  const near = await service(true);
  const here = await approveIn(near);
  expect([near.sent, near.ran]).toEqual([[], [here]]);
});

it("[P1] [P7] a repeated request with the same key does not run the call inline again", async () => {
  const { requestCall, ran } = await service(true);
  const request = { principal: testAgent, capability: "free.note", input: {}, key: "once" };
  const first = await requestCall(request);
  const again = await requestCall(request);
  expect(again).toMatchObject({ known: true, call: { call: first.call.call } });
  expect(ran).toEqual([first.call.call]);
});
