import { afterAll, beforeAll, expect, it } from "vitest";
import { parseElements, readAttribute, readText as readPageText } from "../../../../test/support/web/dom.ts";
import { TestServer } from "../http/testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

/** Requests a page as a browser with this person's session. */
async function visit(path: string, as: string, form?: Record<string, string>) {
  const response = await server.fetch(path, {
    redirect: "manual",
    headers: { cookie: `__Host-paraph=${as}`, ...(form && { origin: server.http.url }) },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });
  const html = await response.text();
  return {
    status: response.status,
    html,
    get words() {
      return readPageText(html).replace(/\s+/g, " ");
    },
    location: response.headers.get("location") ?? "",
  };
}
type Page = Awaited<ReturnType<typeof visit>>;

/** Returns the values that the page's forms would post, with their default ticks. */
function readFormFields({ html }: Page): Record<string, string> {
  const inputs = parseElements(html).filter(({ tagName }) => tagName === "input" || tagName === "textarea");
  return Object.fromEntries(
    inputs.map((each) => [readAttribute(each, "name")!, readAttribute(each, "value") ?? readText(each)]),
  );
}

function readText(element: ReturnType<typeof parseElements>[number]): string {
  const [child] = element.childNodes as { readonly value?: string }[];
  return (child?.value ?? "").replace(/^\n/, "");
}

/** Counts the steps that show only their title. */
const countClosedSteps = ({ html }: Page) =>
  parseElements(html).filter(
    (each) =>
      each.tagName === "details" &&
      readAttribute(each.parentNode as typeof each, "class") === "step" &&
      readAttribute(each, "open") === undefined,
  ).length;

const ticks = (page: Page) => Object.keys(readFormFields(page)).filter((name) => name.startsWith("step:"));

const pin = (id: string, text: unknown = id, more: object = {}) => ({
  id,
  capability: "notes.pin",
  input: { place: id, text },
  ...more,
});
const refund = (id: string, payment: string, more: object = {}) => ({
  id,
  capability: "billing.refund",
  input: { payment, cents: 1250 },
  ...more,
});
async function ask(steps: readonly object[], more: object = {}) {
  const { body } = await server.post("/v1/plans", "bot", { plan: { version: 1, steps, ...more } });
  return { call: body.call as string, path: `/approvals/${body.approval.id}` };
}
const over = async (call: string) =>
  (await server.get(`/v1/plans/${call}`, "bot", { prefer: "wait=60" })).body;

it("[P13] a plan is one approval with each step's changes, the steps that need approval and the failure handling", async () => {
  const steps = [
    pin("door", "hello"),
    refund("back", "pay_4711"),
    pin("wall", { $from: "door", path: "/place" }),
    { id: "note", capability: "notes.append", input: { text: "x" } },
  ];
  const { path } = await ask(steps, { title: "<b>Tidy</b>", onFailure: "compensate" });
  const { words, html } = await visit(path, "bo");
  for (const said of [
    "Refund €12.50 of ••• and 3 more steps",
    "high risk Write plan.apply",
    "4 steps, 1 of high risk, 2 without a preview.",
    "undoes the completed ones in reverse order",
    "Title given by the requester: “<b>Tidy</b>” (not verified)",
    "What is of high risk needs a person. for step 2, policy high-risk-needs-a-person",
    "0 of 1 approval for step 2",
    "1 Update door medium risk Write notes.pin",
    "Changes door hello",
    "Uses a value from step 1. Paraph creates the preview and applies policy once the value is known.",
    "There is no preview. The exact changes are unknown.",
    "Review all details before you approve",
  ])
    expect(words).toContain(said);
  expect(html).not.toContain("<b>Tidy");
  expect((await visit("/approvals", "bo")).words).toContain(
    "Refund €12.50 of ••• and 3 more steps high risk plan.apply 4 steps",
  );
});

it("[TRUST 6] an approver must open a step of high risk before approving any part of the plan", async () => {
  const { path, call } = await ask([pin("early"), refund("back", "pay_early")]);
  const folded = await visit(path, "bo");
  expect(ticks(folded)).toEqual([]);
  const early = await visit(`${path}/decision`, "bo", {
    ...readFormFields(folded),
    decision: "approve",
    "step:early": "1",
    "step:back": "1",
  });
  expect(early.status).toBe(409);
  const opened = await visit(`${path}?opened=1`, "bo");
  expect(ticks(opened)).toEqual(["step:early", "step:back"]);
  expect(opened.words).toContain("To leave a step out, clear its checkbox. It then needs no approval.");
  expect([countClosedSteps(folded), countClosedSteps(opened)]).toEqual([1, 0]);
  const done = await visit(`${path}/decision`, "bo", { ...readFormFields(opened), decision: "approve" });
  expect(done.status).toBe(303);
  expect((await over(call)).steps.map(({ status }: { status: string }) => status)).toEqual([
    "closed",
    "closed",
  ]);
  expect(server.service.notes.refunded).toContain("pay_early");
});

it("[P13] only ticked steps are performed, at least one is required, and a denial covers the whole plan", async () => {
  const { path, call } = await ask([pin("one"), pin("two"), refund("back", "pay_unticked")]);
  const opened = await visit(`${path}?opened=1`, "bo");
  const { "step:one": _, "step:two": __, "step:back": ___, ...none } = readFormFields(opened);
  const nothing = await visit(`${path}/decision`, "bo", { ...none, decision: "approve" });
  expect([nothing.status, nothing.words.includes("You left out every step")]).toEqual([422, true]);
  const some = await visit(`${path}/decision`, "bo", {
    ...none,
    "step:one": "1",
    "step:two": "1",
    "step:other": "1",
    decision: "approve",
  });
  expect(some.status).toBe(303);
  const { steps, outcome } = await over(call);
  expect(outcome.kind).toBe("succeeded");
  expect(steps.map(({ status }: { status: string }) => status)).toEqual(["closed", "closed", "declined"]);
  expect(server.service.notes.refunded).not.toContain("pay_unticked");
  const after = await visit(path, "bo");
  expect(after.words).toContain("Approved by bo, without step 3");
  expect(after.words).toContain("Approved by bo without step 3.");
  expect(after.words).toContain("Left out: approvers approved the other steps only.");
  expect(after.words).not.toContain("of 1 approval");
  const decided = (await visit("/approvals/decided", "bo")).words;
  expect(decided).toMatch(/Approved without “Refund €12\.50 of •••”, (less than a minute|\d+ min) ago/);
  const receipt = (await visit(`/calls/${call}/receipt`, "bo")).words;
  expect(receipt).toContain("Stepsone succeededtwo succeededback left out");
  expect(receipt).toContain("It proves which request, decisions and outcome Paraph recorded");
  expect(receipt).toContain("Vote approve · bo · approver · without back");

  const denied = await ask([pin("three"), refund("back", "pay_denied")]);
  const page = await visit(denied.path, "bo");
  await visit(`${denied.path}/decision`, "bo", {
    ...readFormFields(page),
    "step:three": "1",
    decision: "deny",
  });
  expect((await over(denied.call)).outcome.kind).toBe("denied");
  expect(server.service.notes.pinned.has("three")).toBe(false);
  expect((await visit(denied.path, "bo")).words).not.toContain("Skipped:");
});

it("[P13] the page of a running plan shows its progress, and the plan and its steps link to each other", async () => {
  const steps = [pin("first"), refund("second", "pay_1"), { ...refund("third", ""), input: taken }];
  const { path, call } = await ask(steps);
  const opened = await visit(`${path}?opened=1`, "bo");
  await visit(`${path}/decision`, "bo", { ...readFormFields(opened), decision: "approve" });
  const asking = await until(call, ({ steps }) => steps[2]?.state === "asking");
  const begun = await visit(path, "bo");
  expect(begun.words).toContain("The plan is running. 2 of 3 steps have ended.");
  expect(begun.words).toContain("Waiting for a separate approval of this step. View step");
  expect((await visit(`/calls/${call}`, "bo")).location).toBe(path);

  const first = await visit(`/calls/${asking.steps[0]!.call}`, "bo");
  expect(first.words).toContain("The call succeeded.");
  expect(first.words).toContain("Step first of a plan.");
  expect(first.html).toContain(`href="/calls/${call}"`);
  const third = await visit(`/calls/${asking.steps[2]!.call}`, "bo");
  expect(third.status).toBe(303);
  expect((await visit(third.location, "bo")).words).toContain("Step third of a plan.");
  for (const as of ["nobody", "eve"])
    expect((await visit(`/calls/${asking.steps[0]!.call}`, as)).status).toBe(as === "eve" ? 404 : 303);
});

const taken = { payment: { $from: "second", path: "/refund" }, cents: 1 };

interface Progress {
  readonly steps: readonly { readonly state?: string; readonly call?: string }[];
}

async function until(call: string, is: (plan: Progress) => boolean): Promise<Progress> {
  for (;;) {
    const { body } = await server.get(`/v1/plans/${call}`, "bot", { prefer: "wait=1" });
    if (is(body)) return body;
  }
}

it("[P6] an editor edits one step in the form of its contract, and other steps and masked fields stay unchanged", async () => {
  const { path, call } = await ask([refund("back", "pay_secret"), pin("keep", { $literal: "as is" })]);
  const page = await visit(`${path}?opened=1`, "bo");
  expect(page.html).toContain(`${path}/edit?step=back`);
  const form = await visit(`${path}/edit?step=back`, "bo");
  expect(form.words).toContain("Edit: Refund a payment");
  expect(form.words).toContain("Requested now: Refund €12.50 of •••");
  expect((await visit(`${path}/edit`, "bo")).words).toContain(
    "Requested now: Refund €12.50 of ••• and 1 more step",
  );
  const fields = readFormFields(form);
  expect([fields.step, fields["input/payment"], fields["input/cents"]]).toEqual(["back", "•••", "1250"]);
  const wrong = await visit(`${path}/edit`, "bo", { ...fields, "input/cents": "many" });
  expect([wrong.status, wrong.words.includes("cents must be a number.")]).toEqual([422, true]);
  const sent = await visit(`${path}/edit`, "bo", { ...fields, "input/cents": "900" });
  expect(sent.status).toBe(303);
  const next = await server.service.findApproval(
    { tenant: "acme", id: "bo", kind: "person" },
    sent.location.split("/").at(-1)!,
  );
  expect(next).toMatchObject({ supersedes: call, editedBy: "bo" });
  expect(next?.payloads.input?.value).toMatchObject({
    steps: [
      refund("back", "pay_secret", { input: { payment: "pay_secret", cents: 900 } }),
      pin("keep", { $literal: "as is" }),
    ],
  });
  expect((await visit(`${path}/edit?step=none`, "bo")).status).toBe(422);
});

it("[TRUST 16] sensitive fields of steps are masked until they are revealed", async () => {
  const { path } = await ask([refund("back", "pay_masked_4711"), pin("keep")]);
  const page = await visit(`${path}?opened=1`, "bo");
  expect(page.html).not.toContain("pay_masked_4711");
  expect(page.words).toContain("Sensitive fields, shown as •••: steps.back.payment.");
  const { digest, proof } = readFormFields(await visit(path, "bo")) as { digest: string; proof: string };
  const revealed = await visit(`${path}/reveal`, "bo", { digest, proof });
  expect(revealed.words).toContain("pay_masked_4711");
});

it("the page and its decision form handle a plan of 1000 steps", async () => {
  const { path, call } = await ask([
    refund("grave", "pay_many"),
    ...Array.from({ length: 999 }, (_, index) => pin(`step-${"x".repeat(50)}-${index}`, "x")),
  ]);
  const { html } = await visit(`${path}?opened=1`, "bo");
  // Finds the inputs with a pattern. Parsing the whole page takes longer than the server keeps a connection open.
  const inputs = [...html.matchAll(/<input type="[a-z]+" name="([^"]+)" value="([^"]+)"/g)];
  const form = Object.fromEntries(inputs.map(([, name, value]) => [name!, value!]));
  expect(Object.keys(form).filter((name) => name.startsWith("step:"))).toHaveLength(1_000);
  const answered = await visit(`${path}/decision`, "bo", { ...form, decision: "deny" });
  expect(answered.status).toBe(303);
  expect((await over(call)).outcome.kind).toBe("denied");
});

it("[TRUST 1] a step whose id equals a masked value keeps its id, and the ticked steps are performed", async () => {
  const { path, call } = await ask([
    refund("pay_4711", "pay_4711"),
    pin("pay_4712", { $literal: "pay_4711" }),
  ]);
  const opened = await visit(`${path}?opened=1`, "bo");
  expect(ticks(opened)).toEqual(["step:pay_4711", "step:pay_4712"]);
  expect(opened.words).toContain('"payment": "•••"');
  await visit(`${path}/decision`, "bo", { ...readFormFields(opened), decision: "approve" });
  expect((await over(call)).steps.map(({ status }: { status: string }) => status)).toEqual([
    "closed",
    "closed",
  ]);
});

it("[TRUST 6] a masked input that equals a risk level does not hide the risk of the step", async () => {
  const { path } = await ask([refund("back", "high"), pin("keep", "x")]);
  const page = await visit(path, "bo");
  expect(page.words).toContain("1 of high risk");
  expect(page.words).toContain("Review all details before you approve");
  expect(ticks(page)).toEqual([]);
});
