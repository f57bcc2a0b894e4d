import { afterAll, beforeAll, expect, it } from "vitest";
import { parseElements, readAttribute, readText } from "../../../../test/support/web/dom.ts";
import { TestServer } from "../http/testing/server.ts";
import { readInput, toFormFields } from "./page-data/edit-form.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

/** Requests a page as the browser of a logged-in person. With `form`, it posts the form. */
async function visit(path: string, as: string | undefined, form?: Record<string, string>) {
  const headers: Record<string, string> = as === undefined ? {} : { cookie: `__Host-paraph=${as}` };
  const response = await server.fetch(path, {
    redirect: "manual",
    headers: form
      ? { ...headers, origin: server.http.url, "content-type": "application/x-www-form-urlencoded" }
      : headers,
    ...(form && { method: "POST", body: new URLSearchParams(form).toString() }),
  });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

/** Returns the hidden fields of the form with this action. */
function readFormFields(html: string, action: string): Record<string, string> {
  const start = html.indexOf(`${action}"`);
  const part = html.slice(start, html.indexOf("</form>", start));
  const hidden = parseElements(`<form ${part}</form>`).filter(
    (each) => readAttribute(each, "type") === "hidden",
  );
  return Object.fromEntries(
    hidden.map((each) => [readAttribute(each, "name")!, readAttribute(each, "value")!]),
  );
}

const ask = async (capability: string, input: object, as = "bot") => {
  const { body } = await server.call(capability, input, {}, as);
  return { call: body.call as string, ...(body.waiting?.approval as { id: string; digest: string }) };
};

it("[P6] the edit form changes only the edited fields, and then redirects to the successor's page", async () => {
  const { id, call } = await ask("billing.refund", { payment: "pay_secret_7", cents: 1250 });
  const page = await visit(`/approvals/${id}/edit`, "bo");
  expect([page.status, page.html.includes("pay_secret_7")]).toEqual([200, false]);
  expect(readText(page.html)).toContain("Another person has to approve it. Who can: audit.");
  const owner = await visit(`/approvals/${id}/edit`, "ana");
  expect(readText(owner.html)).toMatch(/Who can: (bo and audit|audit and bo)\./);
  const hidden = readFormFields(page.html, "/edit");
  const form = { ...hidden, "input/payment": "•••", "input/cents": "900", reason: "less" };
  const wrong = await visit(`/approvals/${id}/edit`, "bo", { ...form, "input/cents": "many" });
  expect([wrong.status, wrong.html.includes("must be a number")]).toEqual([422, true]);
  expect(wrong.html).toContain('value="many"');
  expect(readText(wrong.html)).toContain("less");
  expect(readText(page.html)).toContain("Requested now: Refund €12.50 of •••");
  const unproven = await visit(`/approvals/${id}/edit`, "bo", { ...form, proof: "x" });
  expect(unproven.status).toBe(409);
  const sent = await visit(`/approvals/${id}/edit`, "bo", form);
  const next = sent.headers.get("location")!;
  expect([sent.status, next]).toEqual([303, expect.stringMatching(/^\/approvals\/ask_/)]);
  expect(readText((await visit(next, "bo")).html)).toContain("edited the input.less");
  const old = await server.get(`/v1/calls/${call}`, "bot");
  const successor = await server.get(`/v1/calls/${old.body.successor}`, "bot");
  expect(successor.body.input).toEqual({ payment: "pay_secret_7", cents: 900 });
  const gone = await visit(`/approvals/${id}`, "bo");
  expect(gone.html).toContain("edited this request.");
  expect(readText(gone.html)).toContain("Review the new request.less");
  expect(gone.html).toContain(next);
});

it("[TRUST 14] the form preserves numbers, booleans, choices, nested objects, hidden characters and JSON", () => {
  const { contract } = server.service
    .listCapabilities({ tenant: "acme" } as never)
    .find((one) => one.contract.name === "notes.form")!;
  const input = {
    title: "a\u202eb",
    copies: 2,
    bold: false,
    colour: "red",
    box: { width: 1.5 },
    tags: ["x"],
  };
  const flat = (fields: ReturnType<typeof toFormFields>): [string, string][] =>
    fields.flatMap((field): [string, string][] =>
      field.fields ? flat(field.fields) : [[field.name, field.value]],
    );
  const untouched = Object.fromEntries(flat(toFormFields(contract.input, input, false)));
  expect(untouched["input/title"]).toContain("\\u202e");
  expect(readInput(untouched, contract.input, input, false)).toEqual(input);
  const touched = {
    ...untouched,
    "input/copies": "3",
    "input/bold": "true",
    "input/colour": '"green"',
    "input/box/width": "-2e3",
    "input/box/note": "hi\r\nthere",
    "input/tags": '["y", 1]',
  };
  expect(readInput(touched, contract.input, input, false)).toEqual({
    title: "a\u202eb",
    copies: 3,
    bold: true,
    colour: "green",
    box: { width: -2000, note: "hi\nthere" },
    tags: ["y", 1],
  });
  expect(readInput({ input: '{"title": "z"}' }, contract.input, input, true)).toEqual({ title: "z" });
  const omitted = readInput({ ...untouched, "omit:input/tags": "1" }, contract.input, input, false);
  expect(omitted).not.toHaveProperty("tags");
});

it("the page shows a question as escaped text, and returning a call requires instructions", async () => {
  const { id, call } = await ask("billing.refund", { payment: "p", cents: 1 });
  const page = await visit(`/approvals/${id}`, "bo");
  const said = { ...readFormFields(page.html, "/messages"), kind: "question", text: "<b>why?</b>" };
  expect((await visit(`/approvals/${id}/messages`, "bo", said)).status).toBe(303);
  const again = await visit(`/approvals/${id}`, "bo");
  expect(again.html).toContain("&#60;b&#62;why?");
  const form = readFormFields(again.html, "/decision");
  const empty = await visit(`/approvals/${id}/decision`, "bo", { ...form, decision: "return" });
  expect(empty.status).toBe(422);
  const given = { ...form, decision: "return", reason: "Ask first." };
  expect((await visit(`/approvals/${id}/decision`, "bo", given)).status).toBe(303);
  expect((await server.get(`/v1/calls/${call}`, "bot")).body.instructions).toBe("Ask first.");
});

it("[P7] a person resolves an unknown outcome in the inbox, and then requests a retry", async () => {
  const { body } = await server.call("notes.lose", { text: "x" }, { prefer: "wait=60" });
  expect(body.outcome.kind).toBe("unknown");
  const early = await server.post(`/v1/calls/${body.call}/retry`, "bo", {});
  expect([early.status, early.body.code]).toEqual([409, "not-unknown"]);
  const listed = () => server.get("/v1/calls?outcome=unknown&resolved=false", "bo");
  expect((await listed()).body.calls).toMatchObject([{ call: body.call }]);
  const statusOf = async () => readText((await visit(`/calls/${body.call}`, "bo")).html).replace(/\s+/g, " ");
  expect(await statusOf()).toContain("A person has to check the external system. Record the outcome");
  const page = await visit("/approvals/unknown", "bo");
  const form = {
    ...readFormFields(page.html, `${body.call}/resolution`),
    finding: "retry",
    reason: "looked",
  };
  const path = `/approvals/unknown/${body.call}/resolution`;
  expect((await visit(path, "bo", { ...form, proof: "x" })).status).toBe(409);
  expect((await visit(path, undefined, form)).headers.get("location")).toContain("/login");
  expect((await server.get(`/v1/calls/${body.call}`, "bo")).body.resolution).toBeUndefined();
  expect((await visit(path, "bo", form)).headers.get("location")).toBe("/approvals/unknown");
  expect((await server.get(`/v1/calls/${body.call}`, "bot")).body.resolution).toMatchObject({
    finding: "not-happened",
    by: "bo",
    how: "person",
    reason: "looked",
  });
  expect(await statusOf()).toContain("The outcome was unknown. bo found that the call did not take effect.");
  const retried = await server.post(`/v1/calls/${body.call}/retry`, "bo", {});
  expect(retried.body).toMatchObject({ key: `retry:${body.call}`, principal: { id: "bot" } });
  expect((await listed()).body.calls.map(({ call }: { call: string }) => call)).not.toContain(body.call);
});

it("[P7] neither the page nor the API offers or accepts a retry of a plan, whose successful steps would run again", async () => {
  const steps = [
    { id: "a", capability: "notes.pin", input: { place: "door", text: "x" } },
    { id: "b", capability: "notes.lose", input: { text: "x" } },
  ];
  const { body } = await server.post(
    "/v1/plans",
    "bot",
    { plan: { version: 1, steps } },
    { prefer: "wait=60" },
  );
  expect(body.outcome.kind).toBe("unknown");
  const linkOf = async (call: string) => (await server.get(`/v1/calls/${call}`, "bo")).body.links.retry;
  const step = body.steps[1].call;
  expect([await linkOf(body.call), await linkOf(step)]).toEqual([undefined, `/v1/calls/${step}/retry`]);
  const { html } = await visit("/approvals/unknown", "bo");
  const offers = (call: string) =>
    html
      .split('<li class="card">')
      .find((card) => card.includes(`/${call}/resolution`))!
      .includes('value="retry"');
  expect([offers(body.call), offers(step)]).toEqual([false, true]);
  for (const call of [body.call, step])
    await server.post(`/v1/calls/${call}/resolution`, "bo", { finding: "not-happened", reason: "looked" });
  const { status, body: refused } = await server.post(`/v1/calls/${body.call}/retry`, "bo", {});
  expect([status, refused.code]).toEqual([409, "not-retryable"]);
  expect((await server.post(`/v1/calls/${step}/retry`, "bo", {})).body.key).toBe(`retry:${step}`);
});

it("[TRUST 19] an approver decides each item of a bundle separately, with its own proof", async () => {
  const calls: Awaited<ReturnType<typeof ask>>[] = [];
  for (let n = 0; n < 7; n += 1) calls.push(await ask("notes.burn", { text: `page ${n}` }, "other"));
  const page = await visit("/approvals/bundle?principal=other&capability=notes.burn", "bo");
  expect(page.html).toContain("page 6");
  const form = readFormFields(page.html, 'action="/approvals/bundle');
  const [one, two] = calls;
  const answers = {
    ...form,
    [`decision:${one!.id}`]: "approve",
    [`decision:${two!.id}`]: "deny",
    reason: "odd",
  };
  const forged = { ...answers, [`proof:${two!.id}`]: form[`proof:${one!.id}`]! };
  expect((await visit("/approvals/bundle", "bo", forged)).status).toBe(409);
  expect((await server.get(`/v1/calls/${one!.call}`, "bo")).body.state).toBe("asking");
  const result = readText((await visit("/approvals/bundle", "bo", answers)).html).replace(/\s+/g, " ");
  expect(result).toContain("2 of 2 decisions recorded");
  expect(result).toMatch(
    /Burn a note \(notes.burn\)Approved The call may run now\..*Denied The call did not run\./,
  );
  const reasonOf = async ({ id }: { id: string }) => {
    const words = readText((await visit(`/approvals/${id}`, "bo")).html).replace(/\s+/g, " ");
    return / by bo [^.]*UTC *odd/.test(words);
  };
  // The reason explains the denial. Recorded with an approval, it would contradict it.
  expect([await reasonOf(one!), await reasonOf(two!)]).toEqual([false, true]);
  const again = readText((await visit("/approvals/bundle", "bo", answers)).html).replace(/\s+/g, " ");
  expect(again).toMatch(/0 of 2 decisions recorded.*Not recorded This approval is closed \(approved\)/);
  const states = await Promise.all(
    calls.map(async ({ call }) => (await server.get(`/v1/calls/${call}`, "bo")).body.approval.status),
  );
  expect(states).toEqual(["approved", "denied", "open", "open", "open", "open", "open"]);
});
