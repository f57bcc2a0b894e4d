import { Catalog, defineCapability, type Principal, type Wake } from "@paraph/core";
import { plainPolicy } from "@paraph/core/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { agent, person, testPipeline } from "../../../../test/pipeline.ts";
import { createBudgets } from "./budgets.ts";
import { type ServiceParts, serviceOver } from "./service.ts";

const other: Principal = { ...agent, id: "other" };
const stranger: Principal = { ...person("ana"), tenant: "evil" };

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

/** The service without HTTP, engine or database; what it sends and what it runs is kept. */
async function service(takesHere: boolean) {
  const pipeline = await testPipeline("service");
  const sent: Wake[] = [];
  const ran: string[] = [];
  const ports = pipeline.ports({
    catalog: new Catalog([note("free"), note("asked")]),
    policy: plainPolicy({ "free.note": "allow", "asked.note": { ask: 1 } }),
    // As when the same key arrives twice at once: that it is taken shows only when the call is opened.
    store: { ...pipeline.store.process(), findByKey: async () => undefined },
  });
  const parts: ServiceParts = {
    ports,
    database: {} as ServiceParts["database"],
    thread: {} as ServiceParts["thread"],
    callers: {} as ServiceParts["callers"],
    send: async (wakes) => void sent.push(...wakes),
    here: {
      reserve: () => (takesHere ? { run: ({ call }) => void ran.push(call), giveBack: () => {} } : undefined),
    },
    budgets: createBudgets(undefined, () => 0),
    watch: { changed: async () => undefined, poke: () => {}, stop: async () => {} },
    publicKeys: [],
    adapters: async () => [],
    health: async () => ({}),
    traced: (_name, _trace, body) => body(),
    trace: () => undefined,
    slowed: () => {},
  };
  return { sent, ran, ...serviceOver(parts) };
}

it("[TRUST 9] a call and its round are there for who asked and for people, and for nobody else", async () => {
  const { call: admit, find, findApproval } = await service(false);
  const { call } = await admit({ principal: agent, capability: "asked.note", input: {} });
  for (const reader of [agent, person("ana")]) {
    expect((await find(reader, call.call))?.call).toBe(call.call);
    expect((await findApproval(reader, call.approval!.id))?.call).toBe(call.call);
  }
  for (const reader of [other, stranger]) {
    expect(await find(reader, call.call)).toBeUndefined();
    expect(await findApproval(reader, call.approval!.id)).toBeUndefined();
  }
});

it("[P12] the engine is told of every call that is not performed here", async () => {
  const request = { principal: agent, capability: "free.note", input: {} };
  const unavailable = await service(false);
  const { call } = await unavailable.call(request);
  expect([unavailable.sent, unavailable.ran]).toMatchObject([[{ call: call.call }], []]);
  const near = await service(true);
  const performed = await near.call(request);
  expect([near.sent, near.ran]).toEqual([[], [performed.call.call]]);
});

it("[P1] [P7] a call that is known already is not performed here once more", async () => {
  const { call, ran } = await service(true);
  const request = { principal: agent, capability: "free.note", input: {}, key: "once" };
  const first = await call(request);
  const again = await call(request);
  expect(again).toMatchObject({ known: true, call: { call: first.call.call } });
  expect(ran).toEqual([first.call.call]);
});
