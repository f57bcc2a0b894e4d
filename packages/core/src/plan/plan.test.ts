import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agent, person, tenant, testPipeline } from "../../../../test/pipeline.ts";
import type { Call } from "../call.ts";
import { defineCapability } from "../capability.ts";
import { Catalog } from "../catalog.ts";
import type { Json } from "../json.ts";
import { admit } from "../pipeline/admit.ts";
import { advance } from "../pipeline/advance.ts";
import { decide } from "../pipeline/decide.ts";
import { edit } from "../pipeline/edit.ts";
import { withdraw } from "../pipeline/withdraw.ts";
import type { Wake } from "../ports.ts";
import type { Principal } from "../principal.ts";
import { type PlainRule, plainPolicy } from "../testing/plain-policy.ts";
import { verifyReceipt } from "../verify.ts";
import { plan } from "./plan-capability.ts";
import type { PlanRequest } from "./plan-document.ts";

/** A shelf of boxes, whose order of changes is kept. */
function shelf() {
  const boxes = new Map<string, string>();
  const log: string[] = [];
  const broken = new Set<string>();
  const lost = new Set<string>();
  const put = defineCapability({
    ...{ name: "box.put", version: 1, summary: "Puts", effect: "write", idempotency: "none" },
    retry: { retries: 0 },
    input: z.object({ box: z.string(), value: z.string() }),
    output: z.object({ box: z.string(), was: z.string().nullable() }),
    locks: ({ box }) => [box],
    preview: async ({ box, value }) => ({
      changes: [{ kind: "update", target: box, summary: value }],
      basis: boxes.get(box) ?? null,
    }),
    apply: async ({ box, value }) => {
      if (broken.has(box)) throw new Error("broken");
      if (lost.has(box)) throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
      const was = boxes.get(box) ?? null;
      boxes.set(box, value);
      log.push(`${box}=${value}`);
      return { box, was };
    },
    undo: ({ box }, { was }) =>
      was === null
        ? { capability: "box.clear", input: { box } }
        : { capability: "box.put", input: { box, value: was } },
  });
  const clear = defineCapability({
    ...{ name: "box.clear", version: 1, summary: "Clears", effect: "write", idempotency: "natural" },
    input: z.object({ box: z.string() }),
    output: z.object({}),
    locks: ({ box }) => [box],
    preview: async ({ box }) => ({
      changes: [{ kind: "delete", target: box }],
      basis: boxes.get(box) ?? null,
    }),
    apply: async ({ box }) => {
      boxes.delete(box);
      log.push(`${box}!`);
      return {};
    },
  });
  return { boxes, log, broken, lost, capabilities: [put, clear] };
}

async function bench(
  rules: Record<string, PlainRule> = {},
  more: Parameters<typeof defineCapability>[0][] = [],
) {
  const pipeline = await testPipeline("plans");
  pipeline.store.addPrincipal(person("bo"));
  const world = shelf();
  const policy = plainPolicy({ "plan.apply": "allow", "box.put": "allow", "box.clear": "allow", ...rules });
  const ports = pipeline.ports({
    policy,
    catalog: new Catalog([plan, ...world.capabilities, ...more.map((one) => defineCapability(one))]),
  });
  const load = async (call: string) => (await pipeline.store.load({ tenant, call }))!;
  /** Runs everything that is due or was sent, until nothing is. */
  const settle = async (wakes: readonly Wake[]) => {
    const queue = [...wakes];
    for (let n = 0; queue.length > 0; n += 1) {
      if (n > 500) throw new Error("it does not come to rest");
      const wake = queue.shift()!;
      if (wake.at !== undefined && wake.at > pipeline.clock.now()) continue;
      queue.push(...(await advance(wake, ports)).wakes);
    }
  };
  const place = async (capability: string, input: Json) => {
    const { call, wakes } = await admit({ principal: agent, capability, input }, ports);
    await settle(wakes);
    return load(call.call);
  };
  const children = (call: Call) => pipeline.store.children(call);
  const vote = async (
    call: Call,
    decision: "approve" | "deny",
    declined: readonly string[] = [],
    voter: Principal = person("ana"),
  ) => {
    const { id, digest } = call.approval!;
    const { wakes } = await decide({ approval: id, digest, decision, voter, declined }, ports);
    await settle(wakes);
    return load(call.call);
  };
  const verified = async (call: string) =>
    verifyReceipt(
      {
        mediaType: "application/vnd.paraph.receipt.v1+json",
        envelope: pipeline.store.receipt({ tenant, call })!.envelope,
        disclosures: {},
      },
      [pipeline.signer.publicKey],
    );
  return { ...pipeline, ports, world, load, settle, place, children, vote, verified };
}

const put = (id: string, box: string, value: Json, more: object = {}) => ({
  id,
  capability: "box.put",
  input: { box, value },
  ...more,
});
const planned = (steps: PlanRequest["steps"], onFailure: PlanRequest["onFailure"] = "stop"): Json =>
  JSON.parse(JSON.stringify({ version: 1, onFailure, steps }));

describe("a plan", () => {
  it("[P13] takes its steps in order, each a call with its own receipt, named in the plan's", async () => {
    const { place, world, children, verified } = await bench();
    const call = await place(
      "plan.apply",
      planned([put("a", "x", "1"), put("b", "y", "2"), put("c", "x", "3")]),
    );
    expect(call.outcome).toEqual({ kind: "succeeded", code: "done" });
    expect(world.log).toEqual(["x=1", "y=2", "x=3"]);
    const steps = await children(call);
    const { story } = await verified(call.call);
    expect(story.children).toEqual(
      steps.map(({ step, call: id, outcome, receipt }) => ({ step, call: id, outcome, receipt })),
    );
    for (const step of steps)
      expect((await verified(step.call)).story.parent).toEqual({ call: call.call, step: step.step });
  });

  it("[P13] hands values of earlier outputs on", async () => {
    const { place, world } = await bench();
    const call = await place(
      "plan.apply",
      planned([
        put("a", "x", "1"),
        put("b", "y", { $from: "a", path: "/box" }),
        put("c", "z", "3", { after: [] }),
      ]),
    );
    expect(call.outcome?.kind).toBe("succeeded");
    expect(world.boxes.get("y")).toBe("x");
  });

  it("[P13] is asked about once, and its approval counts for the steps as they were shown", async () => {
    const { place, vote, world, children, load } = await bench({ "box.put": { ask: 1 } });
    const call = await place("plan.apply", planned([put("a", "x", "1"), put("b", "y", "2")]));
    expect(call.state).toBe("asking");
    expect(call.approval?.guards).toMatchObject([{ id: "box.put", steps: ["a", "b"] }]);
    const done = await vote(call, "approve");
    expect(done.outcome?.kind).toBe("succeeded");
    expect(world.log).toEqual(["x=1", "y=2"]);
    const [first] = await children(call);
    expect((await load(first!.call)).events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["accepted", "covered", "intended", "closed"]),
    );
  });

  it("[P13] partial approval performs exactly the approved steps whose inputs exist", async () => {
    const { place, vote, world } = await bench({ "box.put": { ask: 1 } });
    const steps = [
      put("a", "x", "1"),
      put("b", "y", "2"),
      put("c", "z", { $from: "b", path: "/box" }),
      put("d", "w", "4"),
    ];
    const done = await vote(await place("plan.apply", planned(steps)), "approve", ["b"]);
    expect(world.log).toEqual(["x=1", "w=4"]);
    expect(done.payloads.output?.value).toMatchObject({ declined: ["b"], skipped: ["c"] });
  });

  it("[P13] asks again about a step that takes a value, once that is known", async () => {
    const { place, vote, world, children, load } = await bench({ "box.put": { ask: 1 } });
    const call = await place(
      "plan.apply",
      planned([put("a", "x", "1"), put("b", "y", { $from: "a", path: "/box" })]),
    );
    const after = await vote(call, "approve");
    expect(after.state).toBe("composing");
    expect(world.log).toEqual(["x=1"]);
    const second = (await children(call))[1]!;
    await vote(await load(second.call), "approve");
    expect(world.log).toEqual(["x=1", "y=x"]);
    expect((await load(call.call)).outcome?.kind).toBe("succeeded");
  });

  it("[P5] asks again about the whole when a step's basis moved before it began", async () => {
    const { place, vote, world } = await bench({ "box.put": { ask: 1 } });
    const call = await place("plan.apply", planned([put("a", "x", "1"), put("b", "y", "2")]));
    world.boxes.set("y", "moved");
    const again = await vote(call, "approve");
    expect(again).toMatchObject({ state: "asking", approval: { round: 2 } });
    expect(world.log).toEqual([]);
    expect((await vote(again, "approve")).outcome?.kind).toBe("succeeded");
  });

  it("[P13] a denied plan has no effect, nor has one with a step that policy blocks", async () => {
    const { place, vote, world, children } = await bench({ "box.put": { ask: 1 }, "box.clear": "block" });
    const denied = await vote(await place("plan.apply", planned([put("a", "x", "1")])), "deny");
    expect(denied.outcome?.kind).toBe("denied");
    const blocked = await place(
      "plan.apply",
      planned([put("a", "x", "1"), { id: "b", capability: "box.clear", input: { box: "x" } }]),
    );
    expect(blocked.outcome).toEqual({ kind: "refused", code: "forbidden" });
    expect(world.log).toEqual([]);
    expect(await children(blocked)).toEqual([]);
  });

  it.each([
    { onFailure: "stop", log: ["a=1"], code: "step-failed" },
    { onFailure: "continue", log: ["a=1", "c=3"], code: "step-failed" },
    { onFailure: "compensate", log: ["a=1", "a!"], code: "compensated" },
  ] as const)("[P13] on failure: $onFailure", async ({ onFailure, log, code }) => {
    const { place, world } = await bench();
    world.broken.add("b");
    const call = await place(
      "plan.apply",
      planned([put("1", "a", "1"), put("2", "b", "2"), put("3", "c", "3")], onFailure),
    );
    expect(world.log).toEqual(log);
    expect(call.outcome).toEqual({ kind: "failed", code });
  });

  it("[P7] is unknown where a step is", async () => {
    const { place, world } = await bench();
    world.lost.add("b");
    const call = await place("plan.apply", planned([put("1", "a", "1"), put("2", "b", "2")]));
    expect(call.outcome).toEqual({ kind: "unknown", code: "step-unknown" });
  });

  it("[P13] its undo is a plan, in reverse order of completion", async () => {
    const { place, world } = await bench();
    world.boxes.set("x", "0");
    const call = await place(
      "plan.apply",
      planned([put("a", "x", "1"), put("b", "y", "2"), put("c", "x", "3")]),
    );
    const { capability, input } = call.payloads.undo!.value as { capability: string; input: Json };
    const undone = await place(capability, input);
    expect(undone.outcome?.kind).toBe("succeeded");
    expect([...world.boxes]).toEqual([["x", "0"]]);
    expect(world.log.slice(3)).toEqual(["x=1", "y!", "x=0"]);
  });

  it("is cancelled between steps: those that wait are withdrawn with it", async () => {
    const { place, ports, settle, children, load, world } = await bench({
      "box.clear": { ask: 1, when: ({ preview }) => preview !== undefined },
    });
    const steps = [
      put("a", "x", "1"),
      { id: "b", capability: "box.clear", input: { box: { $from: "a", path: "/box" } } },
    ];
    const call = await place("plan.apply", planned([...steps, put("c", "y", "2")]));
    expect(call.state).toBe("composing");
    const { wakes } = await withdraw({ call: call.call, by: agent }, ports);
    await settle(wakes);
    expect((await load(call.call)).outcome).toEqual({ kind: "cancelled", code: "withdrawn" });
    expect((await children(call)).map(({ outcome }) => outcome?.kind)).toEqual(["succeeded", "cancelled"]);
    expect(world.log).toEqual(["x=1"]);
  });

  it("[P6] an edited step takes the old one's place, and the plan goes on with it", async () => {
    const { place, ports, settle, children, load, vote, world } = await bench({ "box.clear": { ask: 1 } });
    const steps = [
      put("a", "x", "1"),
      { id: "b", capability: "box.clear", input: { box: { $from: "a", path: "/box" } } },
    ];
    const call = await place("plan.apply", planned(steps));
    const waiting = await load((await children(call))[1]!.call);
    const { id, digest } = waiting.approval!;
    const edited = await edit({ approval: id, digest, editor: person("ana"), input: { box: "y" } }, ports);
    await settle(edited.wakes);
    await vote(await load(edited.call.call), "approve", [], person("bo"));
    expect(world.log).toEqual(["x=1", "y!"]);
    expect((await load(call.call)).outcome?.kind).toBe("succeeded");
  });

  it("[P11] what makes no plan is refused at once, and says which step", async () => {
    const { place } = await bench();
    await expect(place("plan.apply", planned([put("a", "x", 7)]))).rejects.toThrow("Step `a`");
    await expect(
      place("plan.apply", planned([{ id: "a", capability: "no.such", input: {} }])),
    ).rejects.toThrow("Step `a`");
    await expect(place("plan.apply", planned([put("a", "x", { $from: "b" })]))).rejects.toThrow(
      "not an earlier step",
    );
    await expect(place("plan.apply", planned([put("a", "x", "1"), put("a", "y", "1")]))).rejects.toThrow(
      "another step",
    );
  });
});

describe("a composite", () => {
  const swap = {
    ...{ name: "box.swap", version: 1, summary: "Swaps", effect: "write", idempotency: "natural" },
    input: z.object({ one: z.string(), other: z.string() }),
    output: z.object({ first: z.string() }),
    locks: ({ one, other }: { one: string; other: string }) => [one, other],
    compose: async (
      { one, other }: { one: string; other: string },
      call: (c: string, i: Json) => Promise<Json>,
    ) => {
      const { was } = (await call("box.put", { box: one, value: "tmp" })) as { was: string };
      const both = await Promise.all([
        call("box.put", { box: other, value: was ?? "" }),
        call("box.put", { box: one, value: "other" }),
      ]);
      return { first: String((both[0] as { box: string }).box) };
    },
  } as never;

  it("[P13] touches the world through governed calls only, under the locks it declared", async () => {
    const { place, world, children } = await bench({ "box.swap": "allow" }, [swap]);
    world.boxes.set("x", "1");
    const call = await place("box.swap", { one: "x", other: "y" });
    expect(call.outcome?.kind).toBe("succeeded");
    expect(call.payloads.output?.value).toEqual({ first: "y" });
    expect([...world.boxes]).toEqual([
      ["x", "other"],
      ["y", "1"],
    ]);
    expect((await children(call)).map(({ step }) => step)).toEqual(["1", "2", "3"]);
  });

  it("[P13] is run again from the top after a wait, and takes no step twice", async () => {
    const { place, world, children, load, vote } = await bench(
      {
        "box.swap": "allow",
        "box.put": { ask: 1, when: ({ input }) => (input as { box: string }).box === "y" },
      },
      [swap],
    );
    const call = await place("box.swap", { one: "x", other: "y" });
    expect(call.state).toBe("composing");
    expect(world.log).toEqual(["x=tmp", "x=other"]);
    const asked = (await children(call)).find(({ state }) => state === "asking")!;
    await vote(await load(asked.call), "approve");
    expect(world.log).toEqual(["x=tmp", "x=other", "y="]);
    expect((await load(call.call)).outcome?.kind).toBe("succeeded");
  });
});
