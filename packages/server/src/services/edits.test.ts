import {
  admit,
  advance,
  type Call,
  Catalog,
  decide,
  defineCapability,
  edit,
  type Json,
  type PerformedByParaph,
  type Ports,
  type Principal,
  planApplyCapability,
  roles,
  sealGrant,
  verifyReceipt,
} from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createTestPipeline } from "../../../../test/support/test-pipeline.ts";
import {
  assemblePolicyDocument,
  compileRules,
  createCedarPolicy,
  loadPolicies,
  type Preset,
  type Rule,
} from "../policy/cedar/index.ts";

const tenant = "acme";
const person = (id: string, ...groups: string[]): Principal => ({ tenant, id, kind: "person", groups });
const agent: Principal = { tenant, id: "bot", kind: "agent", owner: "ana" };
const financeBot: Principal = {
  tenant,
  id: "finance-bot",
  kind: "agent",
  owner: "ana",
  groups: ["finance-bots"],
};
const everybody = [
  person("ana"),
  ...["bo", "cy", "dee", "eve"].map((id) => person(id)),
  ...["fay", "gail", "hal"].map((id) => person(id, roles.admins)),
];

/** Sets up the shipped policies over the model store, with capabilities to delete, to deploy and to administer. */
async function world(preset: Preset, given: { people?: readonly Principal[]; rules?: readonly Rule[] } = {}) {
  const pipeline = await createTestPipeline(preset);
  const { people = everybody, rules = [] } = given;
  const effects: Json[] = [];
  const capability = (name: string, more: Partial<PerformedByParaph<z.ZodType, z.ZodType>>) =>
    defineCapability({
      name,
      version: 1,
      summary: `Does ${name}`,
      effect: "write",
      idempotency: "natural",
      input: z.object({ what: z.string(), cents: z.int().default(0) }),
      output: z.object({}),
      apply: async (input) => {
        effects.push({ name, ...(input as object) });
        return {};
      },
      ...more,
    });
  const catalog = new Catalog([
    capability("files.delete", { effect: "destroy" }),
    capability("ops.deploy", { risk: "critical" }),
    capability("billing.refund", {}),
    capability("bank.pay", { risk: "high" }),
    capability("admin.group_change", { risk: "high" }),
    planApplyCapability,
  ]);
  const contracts = catalog.all(preset).map(({ contract }) => contract);
  const compiled = rules.length > 0 ? compileRules(rules, contracts) : undefined;
  const document = assemblePolicyDocument({
    preset,
    ...(compiled && { sources: [compiled.source], unattended: compiled.unattended }),
  });
  const ports: Ports = pipeline.ports({
    policy: createCedarPolicy(loadPolicies(document, contracts)),
    catalog,
  });
  // The pipeline already has `owner` and `ana`, so the people of this file get their own tenant.
  for (const principal of [agent, financeBot, ...people])
    pipeline.store.addPrincipal({ ...principal, tenant: preset });
  const at = (principal: Principal): Principal => ({ ...principal, tenant: preset });
  const find = (id: string) => at(people.find((one) => one.id === id)!);
  const load = async ({ call }: Pick<Call, "call">) => (await pipeline.store.load({ tenant: preset, call }))!;
  return {
    effects,
    store: pipeline.store,
    signer: pipeline.signer,
    ports,
    find,
    load,
    ask: async (principal: Principal, name: string, input: Json = { what: "a" }) =>
      (await admit({ principal: at(principal), capability: name, input }, ports)).call,
    edit: async (call: Call, editor: string, input: Json) => {
      const { id, digest } = call.approval!;
      return (await edit({ approval: id, digest, editor: find(editor), input }, ports)).call;
    },
    async approve(call: Call, voter: string) {
      const { id, digest } = (await load(call)).approval!;
      const { wakes } = await decide(
        { approval: id, digest, decision: "approve", voter: find(voter) },
        ports,
      );
      for (const wake of wakes) await advance(wake, ports);
      return load(call);
    },
    receipt: async (call: Call) => {
      const envelope = pipeline.store.envelope(call)!;
      const bundle = { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures: {} };
      return (await verifyReceipt(bundle, [pipeline.signer.publicKey])).story;
    },
  };
}

const notAllowed = { code: "approver-not-allowed" };

describe.each(["permissive", "balanced", "strict"] as const)("[TRUST 28] under the preset `%s`", (preset) => {
  const quorumOf = ({ approval }: Call) => Math.max(...approval!.guards.map(({ quorum }) => quorum));

  it.each([
    ["an agent's call", agent, "files.delete"],
    ["a person's call that may need two", person("ana"), "ops.deploy"],
  ])("an editor never counts towards the approval of their own edit: %s", async (_, who, capability) => {
    const { ask, edit, approve, effects, receipt } = await world(preset);
    const edited = await edit(await ask(who, capability), "bo", { what: "b" });
    await expect(approve(edited, "bo")).rejects.toMatchObject(notAllowed);
    let now = await approve(edited, "cy");
    expect(now.state).toBe(quorumOf(edited) === 1 ? "closed" : "asking");
    await expect(approve(edited, "bo")).rejects.toMatchObject({
      code: expect.stringMatching(/approver-not-allowed|approval-closed/),
    });
    if (quorumOf(edited) === 2) now = await approve(edited, "dee");
    expect(now.outcome).toMatchObject({ kind: "succeeded" });
    expect(effects).toMatchObject([{ what: "b" }]);
    const story = await receipt(now);
    expect(story).toMatchObject({ principal: { id: who.id }, editors: ["bo"] });
    expect(story.events.filter(({ kind }) => kind === "voted").map(({ data }) => data.by)).not.toContain(
      "bo",
    );
  });

  it(`an editor of an editor's edit does not count, and neither does the first: ${preset}`, async () => {
    const { ask, edit, approve, effects, receipt } = await world(preset);
    const first = await edit(await ask(agent, "files.delete"), "bo", { what: "b", cents: 7 });
    const second = await edit(first, "cy", { what: "c", cents: 7 });
    for (const editor of ["bo", "cy"])
      await expect(approve(second, editor)).rejects.toMatchObject(notAllowed);
    expect(effects).toEqual([]);
    let now = await approve(second, "dee");
    if (quorumOf(second) === 2) now = await approve(second, "eve");
    expect(now.outcome).toMatchObject({ kind: "succeeded" });
    expect(await receipt(now)).toMatchObject({ editors: ["bo", "cy"] });
  });

  it("[TRUST 14] only an administrator can edit an administrative call, and the editor cannot approve it", async () => {
    const { ask, edit, approve, effects } = await world(preset);
    const asked = await ask(person("fay", roles.admins), "admin.group_change", { what: "readers" });
    await expect(edit(asked, "bo", { what: "paraph:admins" })).rejects.toMatchObject({
      code: "edit-refused",
    });
    const edited = await edit(asked, "gail", { what: "paraph:break-glass" });
    await expect(approve(edited, "gail")).rejects.toMatchObject(notAllowed);
    expect(effects).toEqual([]);
    expect((await approve(edited, "hal")).outcome).toMatchObject({ kind: "succeeded" });
  });

  it("the only person of a tenant can edit and confirm a call, but not after another person joins", async () => {
    const { ask, edit, approve, store, receipt } = await world(preset, { people: [person("ana")] });
    const edited = await edit(await ask(agent, "files.delete"), "ana", { what: "b" });
    const guards = quorumOf(edited);
    if (guards === 1) {
      const done = await approve(edited, "ana");
      expect(done.outcome).toMatchObject({ kind: "succeeded" });
      expect(done.approval?.votes).toMatchObject([{ by: "ana", as: "confirmation" }]);
      expect(await receipt(done)).toMatchObject({ editors: ["ana"] });
    }
    const later = await edit(await ask(agent, "files.delete", { what: "c" }), "ana", { what: "d" });
    store.addPrincipal({ tenant: preset, id: "new", kind: "person" });
    await expect(approve(later, "ana")).rejects.toMatchObject(notAllowed);
  });

  it("an edit that no other person could approve is refused, and the approval stays open", async () => {
    const { ask, edit, load } = await world(preset, { people: [person("ana"), person("bo")] });
    const asked = await ask(agent, "files.delete");
    await expect(edit(asked, "bo", { what: "b" })).rejects.toMatchObject({ code: "edit-refused" });
    expect(await load(asked)).toMatchObject({ state: "asking", approval: { status: "open" } });
  });
});

describe("[TRUST 14] an edit of a plan", () => {
  const planned = (...steps: [id: string, capability: string][]) => ({
    version: 1,
    steps: steps.map(([id, capability]) => ({ id, capability, input: { what: id } })),
  });

  it("cannot change a step's capability or add a step, including nested steps", async () => {
    const { ask, edit, load } = await world("balanced");
    const inner = planned(["x", "files.delete"]);
    const whole = (nested: Json, ...more: Json[]) => ({
      version: 1,
      steps: [
        { id: "a", capability: "files.delete", input: { what: "a" } },
        { id: "n", capability: "plan.apply", input: nested },
        ...more,
      ],
    });
    const asked = await ask(agent, "plan.apply", whole(inner));
    const pay = { id: "p", capability: "bank.pay", input: { what: "bo", cents: 1 } };
    for (const input of [
      whole(inner, pay),
      { version: 1, steps: [{ ...pay, id: "a" }] },
      whole(planned(["x", "bank.pay"])),
      whole(planned(["x", "files.delete"], ["y", "bank.pay"])),
      whole({ $from: "a", path: "" }),
    ])
      await expect(edit(asked, "bo", input as Json), JSON.stringify(input)).rejects.toMatchObject({
        code: "edit-refused",
      });
    expect((await load(asked)).state).toBe("asking");
    const less = await edit(asked, "bo", planned(["a", "files.delete"]));
    expect(less).toMatchObject({ state: "asking", editedBy: "bo" });
  });
});

describe("[TRUST 14] an edit needs the editor's own right to the edited call", () => {
  const rules: readonly Rule[] = [
    {
      capability: "billing.refund",
      when: { "input.cents": { under: 2_000 } },
      for: { group: "finance-bots" },
      allow: "unattended",
    },
    { capability: "billing.refund", for: { group: "clerks" }, ask: "leads" },
  ];
  const people = [person("ana"), person("bo", "clerks"), person("cy"), person("lea", "leads")];

  it("is not performed on the requester's right alone", async () => {
    const { ask, edit, approve, effects } = await world("balanced", { rules, people });
    const asked = await ask(financeBot, "billing.refund", { what: "a", cents: 5_000 });
    expect(asked.state).toBe("asking");
    // Policy would allow the agent this call without approval. A clerk who requests it needs a lead's approval.
    const edited = await edit(asked, "bo", { what: "bo", cents: 1_999 });
    expect(edited.state).toBe("asking");
    expect(effects).toEqual([]);
    await expect(approve(edited, "bo")).rejects.toMatchObject(notAllowed);
    await expect(approve(edited, "cy")).rejects.toMatchObject(notAllowed);
    expect((await approve(edited, "lea")).outcome).toMatchObject({ kind: "succeeded" });
  });

  it("a grant that the editor gave does not approve the editor's own edit", async () => {
    const { ask, edit, store, signer, effects } = await world("balanced");
    const grant = {
      id: "grant_1",
      capability: "files.delete",
      bounds: { what: { is: "b" } },
      destroy: true,
      countLeft: 5,
      expiresAt: Number.MAX_SAFE_INTEGER,
      people: [{ by: "bo", groups: [] }],
    };
    store.getGates("balanced").grant(sealGrant("balanced", grant, signer));
    expect((await ask(agent, "files.delete", { what: "b" })).state).toBe("ready");
    const edited = await edit(await ask(agent, "files.delete"), "bo", { what: "b" });
    expect(edited.state).toBe("asking");
    expect(effects).toEqual([]);
    expect((await edit(await ask(agent, "files.delete"), "cy", { what: "b" })).state).toBe("ready");
  });
});
