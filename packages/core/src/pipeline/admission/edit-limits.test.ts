import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, bench, guarded } from "../../../../../test/support/governance-bench.ts";
import { createPlanFixture, putStep, toPlanJson } from "../../../../../test/support/plan-fixture.ts";
import { createPerson, createTestPipeline, testAgent } from "../../../../../test/support/test-pipeline.ts";
import type { Call } from "../../call.ts";
import { defineCapability } from "../../capability/capability.ts";
import { Catalog } from "../../capability/catalog.ts";
import { CapabilityError } from "../../capability/fault.ts";
import type { Json } from "../../json.ts";
import type { Evaluation } from "../../policy/policy.ts";
import { type Principal, roles } from "../../principal.ts";
import { createPlainPolicy } from "../../testing/plain-policy.ts";
import { admit } from "./admit.ts";
import { draftEdit, edit } from "./edit.ts";

const nested = (steps: Json) => ({
  id: "n",
  capability: "plan.apply",
  input: { $literal: { version: 1, steps } },
});
const about = ({ approval }: Call, input: Json, editor: Principal = createPerson("ana")) => ({
  approval: approval!.id,
  digest: approval!.digest,
  editor,
  input,
});

describe("[TRUST 14] an edit of a plan changes only arguments", () => {
  let fixture: Awaited<ReturnType<typeof createPlanFixture>>;
  let call: Call;
  const inner = [putStep("x", "box", "1")];
  const opaque = { id: "o", capability: "plan.apply", input: { version: 1, steps: { $from: "a" } } };
  const steps = [putStep("a", "b", "1"), nested(inner), opaque];
  beforeEach(async () => {
    fixture = await createPlanFixture({ "plan.apply": { ask: 1 } });
    call = await fixture.place("plan.apply", toPlanJson(steps as never));
  });

  it.each<[string, Json, string]>([
    ["adds a step", [...steps, putStep("c", "b", "2")], "The edit adds the step `c`"],
    [
      "adds a step to a nested plan",
      [steps[0]!, nested([...inner, putStep("y", "b", "2")]), opaque],
      "adds the step `n/y`",
    ],
    [
      "changes a capability",
      [{ id: "a", capability: "box.clear", input: { box: "b" } }, ...steps.slice(1)],
      "changes the capability of step `a`",
    ],
    [
      "changes a capability in a nested plan",
      [steps[0]!, nested([{ id: "x", capability: "box.clear", input: { box: "b" } }]), opaque],
      "changes the capability of step `n/x`",
    ],
    [
      "changes a plan whose steps are not known yet",
      [steps[0]!, steps[1]!, { ...opaque, input: { version: 1, title: "new", steps: { $from: "a" } } }],
      "cannot edit the plan in step `o`",
    ],
  ])("and is refused if it %s", async (_what, changed, message) => {
    const input = toPlanJson(changed as never);
    await expect(edit(about(call, input), fixture.ports)).rejects.toMatchObject({
      code: "edit-refused",
      message: expect.stringContaining(message),
    });
    expect(await fixture.load(call.call)).toMatchObject({ state: "asking", approval: { status: "open" } });
  });

  it("of its steps and of nested steps, and may leave steps out", async () => {
    const input = toPlanJson([putStep("a", "b", "7"), nested([putStep("x", "box", "8")])] as never);
    const { call: next } = await edit(about(call, input), fixture.ports);
    expect(next).toMatchObject({ state: "asking", editedBy: "ana", payloads: { input: { value: input } } });
  });
});

describe("[P3] the draft of an edit", () => {
  it("shows the preview and the ruling, and changes nothing", async () => {
    const fixture = await createPlanFixture({ "box.put": { ask: 1 } });
    const call = await fixture.place("box.put", { box: "b", value: "1" });
    const draft = await draftEdit(about(call, { box: "c", value: "2" }), fixture.ports);
    expect(draft).toMatchObject({
      call: {
        supersedes: call.call,
        payloads: { preview: { value: { changes: [{ target: "c", summary: "2" }] } } },
      },
      considered: { kind: "ruled", ruledCall: { ruling: { kind: "ask" } } },
    });
    expect(await fixture.load(call.call)).toEqual(call);
    expect(await fixture.load(draft.call.call)).toBeUndefined();
  });

  it("is refused during a freeze, for an unknown approval, and if policy blocks the edited call", async () => {
    const fixture = await createPlanFixture({
      "box.put": { ask: 1, when: ({ input }) => (input as { box: string }).box !== "free" },
    });
    const call = await fixture.place("box.put", { box: "b", value: "1" });
    const given = about(call, { box: "c", value: "2" });
    const freeze = { id: "freeze_1", kind: "tenant", by: "ana" } as never;
    const frozen = { ...fixture.ports, freezes: { inForce: () => freeze } };
    await expect(draftEdit(given, frozen)).rejects.toMatchObject({ code: "frozen" });
    await expect(draftEdit({ ...given, approval: "apr_none" }, fixture.ports)).rejects.toMatchObject({
      code: "approval-unknown",
    });
    await expect(draftEdit({ ...given, input: { box: 7 } }, fixture.ports)).rejects.toMatchObject({
      code: "input-invalid",
    });
  });
});

it("only an administrator edits a call of administration, whatever policy says", async () => {
  const group = {
    name: "admin.group",
    version: 1,
    summary: "Change a group",
    effect: "write",
    idempotency: "natural",
    input: z.object({ member: z.string() }),
    output: z.object({}),
    apply: async () => ({}),
  } as const;
  const fixture = await createPlanFixture({ "admin.group": { ask: 1 } }, [group]);
  const call = await fixture.place("admin.group", { member: "bo" });
  await expect(edit(about(call, { member: "cy" }), fixture.ports)).rejects.toMatchObject({
    code: "edit-refused",
    message: expect.stringContaining(`Only a person in the group \`${roles.admins}\``),
  });
  const admin = { ...createPerson("ana"), groups: [roles.admins] };
  const { call: next } = await edit(about(call, { member: "cy" }, admin), fixture.ports);
  expect(next.state).toBe("asking");
});

it("[TRUST 14] an administrator cannot edit a call of administration that only its requester may request", async () => {
  const input = z.object({ person: z.string(), key: z.string() });
  const key = {
    name: "admin.key",
    version: 1,
    summary: "Add a key of one's own",
    effect: "write",
    idempotency: "natural",
    input,
    output: z.object({}),
    preview: async (given: unknown, { principal }: { principal: Principal }) => {
      const { person, key } = input.parse(given);
      if (principal.id !== person) throw new CapabilityError("permanent", "not-yours", "Only your own.");
      if (key === "unknown") throw new CapabilityError("permanent", "key-unknown", "There is no such key.");
      return { changes: [{ kind: "create" as const, target: key }], basis: null };
    },
    apply: async () => ({}),
  } as const;
  const policy = { "admin.key": { ask: 1 }, "plan.apply": { ask: 1 } } as const;
  const fixture = await createPlanFixture(policy, [key]);
  const admin = { ...createPerson("ana"), groups: [roles.admins] };
  const own = (key: Json) => ({ person: testAgent.id, key });
  const planned = (key: Json, more = {}) =>
    toPlanJson([
      putStep("a", "b", "1"),
      { id: "k", capability: "admin.key", input: own(key), ...more },
    ] as never);
  const change = async (capability: string, before: Json, after: Json) =>
    edit(about(await fixture.place(capability, before), after, admin), fixture.ports);
  const refused = {
    code: "edit-refused",
    message: expect.stringMatching(/You could not request .* Only your own\. The request is unchanged/),
  };
  await expect(change("admin.key", own("mine"), own("theirs"))).rejects.toMatchObject(refused);
  await expect(change("plan.apply", planned("mine"), planned("theirs"))).rejects.toMatchObject(refused);
  // A step that runs after others may have no preview yet, for the requester or for the editor.
  const later = { after: ["a"] };
  await expect(change("plan.apply", planned("mine", later), planned("unknown", later))).rejects.toMatchObject(
    refused,
  );
  await expect(
    change("plan.apply", planned("mine"), planned({ $from: "a", path: "/value" })),
  ).rejects.toMatchObject({ code: "edit-refused", message: expect.stringContaining("known only after") });
});

describe("[TRUST 28] policy rules on the editor as on a requester", () => {
  const rulingFor =
    (forEditor: Evaluation) => (question: { principal: Principal; discharged: readonly string[] }) => {
      if (
        question.principal.id === "ana" &&
        !forEditor.policies.every((id) => question.discharged.includes(id))
      )
        return forEditor;
      return question.discharged.includes("asked")
        ? ({ decision: "allow", policies: ["permitted"], errors: [] } as const)
        : ({ decision: "deny", policies: ["asked"], errors: [] } as const);
    };

  it("adds the checks that it demands of the editor, and they run again with the edited input", async () => {
    const check = ask({ id: "checked", ruling: "check", checks: ["check.words"], onFail: "refuse" });
    const evaluate = rulingFor({ decision: "deny", policies: ["checked"], errors: [] });
    const world = await bench(guarded([ask(), check], { evaluate }));
    world.store.addPrincipal(createPerson("bo"));
    const call = await world.ask({ words: "good" });
    const { call: next } = await edit(about(call, { words: "bad", cents: 1 }), world.ports);
    expect(next).toMatchObject({
      state: "checking",
      requirements: [{ id: "editor:check", checks: ["check.words"] }],
    });
    expect(await world.advance(next)).toMatchObject({ outcome: { kind: "refused", code: "check-failed" } });
    expect(world.world.effects).toBe(0);
  });

  it("adds the approvals that it demands of the editor", async () => {
    const two = ask({ id: "two", quorum: 2 });
    const evaluate = rulingFor({ decision: "deny", policies: ["two"], errors: [] });
    const world = await bench(guarded([ask(), two], { evaluate }));
    world.store.addPrincipal(createPerson("bo"));
    const { call: next } = await edit(about(await world.ask(), { words: "new" }), world.ports);
    expect(next.approval?.guards.map(({ id, quorum }) => [id, quorum])).toEqual([
      ["asked", 1],
      ["two", 2],
    ]);
  });
});

describe("[TRUST 28] an edit needs another person who can approve it", () => {
  const send = defineCapability({
    name: "mail.send",
    version: 1,
    summary: "Sends",
    effect: "write",
    idempotency: "natural",
    input: z.object({ to: z.string() }),
    output: z.object({}),
    apply: async () => ({}),
  });
  /** The people of this tenant are `owner`, who owns the agent, and `ana`. */
  async function place(principal: Principal) {
    const pipeline = await createTestPipeline("edit");
    const ports = pipeline.ports({
      policy: createPlainPolicy({ "mail.send": { ask: 1 } }),
      catalog: new Catalog([send]),
    });
    const { call } = await admit({ principal, capability: "mail.send", input: { to: "a" } }, ports);
    return { call, ports };
  }

  it("and is refused if no other person could approve it", async () => {
    const { call, ports } = await place(testAgent);
    await expect(edit(about(call, { to: "b" }), ports)).rejects.toMatchObject({
      code: "edit-refused",
      message: expect.stringContaining("No other person could approve your edit"),
    });
  });

  it("who may be the conflicted person that confirms", async () => {
    const { call, ports } = await place({ ...testAgent, onBehalfOf: "ana" });
    expect((await edit(about(call, { to: "b" }), ports)).call.state).toBe("asking");
  });
});
