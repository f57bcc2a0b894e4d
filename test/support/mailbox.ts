import {
  admit,
  advance as advanceOnce,
  type Call,
  type CallRequest,
  Catalog,
  decide,
  defineCapability,
  edit,
  type Json,
  type PolicySet,
  type Ports,
  type Principal,
} from "@paraph/core";
import { createPlainPolicy } from "@paraph/core/testing";
import { z } from "zod";
import { createPerson, createTestPipeline, testAgent, testTenant } from "./test-pipeline.ts";

/**
 * Creates a mailbox that records its effects. Each mail needs an approval, under any version of the mailbox's contract.
 */
export async function createMailbox(given: { version?: number; settings?: Partial<Ports["settings"]> } = {}) {
  const pipeline = await createTestPipeline("approvals");
  pipeline.store.addPrincipal(createPerson("bo"));
  const world = {
    effects: [] as Json[],
    lose: false,
    there: "absent" as "absent" | "present" | "unsure",
    /** The promise that an effect awaits before it returns. */
    hold: Promise.resolve(),
  };
  const write = (version: number, summary: string) =>
    defineCapability({
      name: "mail.send",
      version,
      summary,
      effect: "write",
      idempotency: "probe",
      retry: { retries: 0 },
      input:
        version === 1
          ? z.object({ to: z.string(), n: z.int() })
          : z.object({ to: z.string(), n: z.int(), cc: z.string().default("") }),
      output: z.object({}),
      locks: ({ to }) => [`to:${to}`],
      apply: async (input) => {
        if (world.lose) throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
        world.effects.push(input as Json);
        await world.hold;
        return {};
      },
      probe: async () =>
        world.there === "present" ? { kind: "present", output: {} } : { kind: world.there },
    });
  const plain = createPlainPolicy({ "mail.send": { ask: 1, urgency: "high" } });
  /** The policy blocks mail to `nobody`. */
  const evaluate: PolicySet["evaluate"] = (question) =>
    (question.input as { to?: string }).to === "nobody"
      ? { decision: "deny", policies: ["blocked"], errors: [] }
      : plain.evaluate(question);
  const policy = { ...plain, evaluate, current: () => ({ ...plain, evaluate }) };
  const portsOf = (version: number, summary = "Sends"): Ports => {
    const plain = pipeline.ports({ policy, catalog: new Catalog([write(version, summary)]) });
    return { ...plain, settings: { ...plain.settings, ...given.settings } };
  };
  const ports = portsOf(given.version ?? 1);
  const load = async ({ call }: Pick<Call, "call">) =>
    (await pipeline.store.load({ tenant: testTenant, call }))!;
  return {
    ...pipeline,
    ports,
    portsOf,
    world,
    load,
    ask: async (more: Partial<CallRequest> = {}) =>
      (
        await admit(
          { principal: testAgent, capability: "mail.send", input: { to: "a", n: 1 }, ...more },
          ports,
        )
      ).call,
    async advance(call: Pick<Call, "call">, own: Ports = ports) {
      const { wakes } = await advanceOnce({ tenant: testTenant, call: call.call }, own);
      return { ...(await load(call)), wakes };
    },
    async decide(
      call: Call,
      decision: "approve" | "deny" | "return",
      voter: Principal = createPerson("ana"),
      reason?: string,
    ) {
      const { id, digest } = call.approval!;
      const given = { approval: id, decision, voter, digest, ...(reason !== undefined && { reason }) };
      return (await decide(given, ports)).call;
    },
    edit: (call: Call, input: Json, more: { editor?: Principal; digest?: string } = {}) =>
      edit(
        {
          approval: call.approval!.id,
          digest: call.approval!.digest,
          editor: createPerson("ana"),
          input,
          reason: "typo",
          ...more,
        },
        ports,
      ),
  };
}
