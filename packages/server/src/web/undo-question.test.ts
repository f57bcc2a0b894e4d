import { afterAll, beforeAll, expect, it } from "vitest";
import { readText } from "../../../../test/support/web/dom.ts";
import { TestServer } from "../http/testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const step = (id: string, capability: string, input: object) => ({ id, capability, input });
const pin = (id: string, place = id) => step(id, "notes.pin", { place, text: "hello" });
const append = (id: string) => step(id, "notes.append", { text: "hello" });
const within = (id: string, ...steps: object[]) => step(id, "plan.apply", { $literal: planned(...steps) });
const planned = (...steps: object[]) => ({ version: 1, onFailure: "continue", steps });

async function done(plan: object) {
  const { body } = await server.post("/v1/plans", "bot", { plan }, { prefer: "wait=60" });
  expect(body.state).toBe("closed");
  return body;
}

/** Requests an undo with one approver, and returns its round. */
async function question(call: string) {
  const { body } = await server.post(`/v1/calls/${call}/undo`, "bot", { requirements: { people: 1 } });
  return (await server.get(`/v1/approvals/${body.approval.id}`, "bo")).body;
}

it("[TRUST 6] the approval of an undo names every effect that remains, and why", async () => {
  const plan = await done(
    planned(
      ...[pin("a"), append("b"), step("c", "notes.lose", { text: "x" }), step("d", "notes.list", {})],
      ...[within("e", pin("f"), append("g")), within("h", pin("i"), step("j", "notes.break", { text: "x" }))],
      ...[step("k", "notes.break", { text: "x" }), pin("l")],
    ),
  );
  const round = await question(plan.call);
  const call = (id: string) => plan.steps.find((each: { step: string }) => each.step === id).call;
  expect(round.notUndone).toEqual([
    { step: "b", capability: "notes.append", call: call("b"), reason: "no-undo" },
    { step: "c", capability: "notes.lose", call: call("c"), reason: "unknown" },
    { step: "e/g", capability: "notes.append", call: expect.any(String), reason: "no-undo" },
    { step: "h/i", capability: "notes.pin", call: expect.any(String), reason: "plan-not-succeeded" },
  ]);
  const page = await server.fetch(`/approvals/${round.approval}`, {
    headers: { cookie: "__Host-paraph=bo" },
  });
  const words = readText(await page.text()).replace(/\s+/g, " ");
  const inbox = await server.fetch("/approvals", { headers: { cookie: "__Host-paraph=bo" } });
  expect(readText(await inbox.text())).toContain("and 2 more steps (undo)");
  expect(words).toContain("and 2 more steps (undo)");
  expect(words).toContain("Effects that remain after this undo");
  expect(words).toContain("b notes.append Its capability offers no undo.");
  expect(words).toContain("c notes.lose Its outcome is unknown.");
});

it("the approval of an edited undo names the step that the edit left out", async () => {
  const plan = await done(planned(pin("a"), pin("b")));
  const round = await question(plan.call);
  expect(round.notUndone).toEqual([]);
  const [first] = round.input.steps;
  const edited = await server.post(`/v1/approvals/${round.approval}/edit`, "bo", {
    digest: round.digest,
    input: { ...round.input, steps: [first] },
  });
  expect(edited.status, JSON.stringify(edited.body)).toBeLessThan(300);
  const { body } = await server.get(`/v1/approvals/${edited.body.approval.id}`, "audit");
  expect(body.notUndone).toMatchObject([{ step: "a", reason: "left-out" }]);
});

it("the approval of a call that is not an undo names no remaining effects", async () => {
  const { body } = await server.call("billing.refund", { payment: "pay_1", cents: 1 });
  const round = await server.get(`/v1/approvals/${body.approval.id}`, "bo");
  expect(round.body.notUndone).toEqual([]);
});
