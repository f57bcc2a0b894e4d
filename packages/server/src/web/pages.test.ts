import { afterAll, beforeAll, expect, it } from "vitest";
import { parseElements, readAttribute, readText } from "../../../../test/support/web/dom.ts";
import { createCsrfToken } from "../http/middleware/csrf-token.ts";
import { TestServer } from "../http/testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly words: string;
}

/**
 * Requests a page as a browser with this person's session, or without one. By default, a POST has this server's origin.
 */
async function visit(
  path: string,
  as: string | undefined,
  form?: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Page> {
  const response = await server.fetch(path, {
    redirect: "manual",
    headers: {
      ...(as !== undefined && { cookie: `__Host-paraph=${as}` }),
      ...(form && { origin: server.http.url }),
      ...headers,
    },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });
  const html = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    html,
    words: readText(html).replace(/\s+/g, " "),
  };
}

/** Returns the fields of the form with this action, as a browser would post them. */
function readFormFields({ html }: Page, action: string): Record<string, string> {
  const elements = parseElements(html);
  const form = elements.find(
    (each) => each.tagName === "form" && readAttribute(each, "action")?.endsWith(action),
  );
  const inputs = parseElements(html).filter(({ tagName }) => tagName === "input");
  expect(form, `a form for ${action}`).toBeDefined();
  return Object.fromEntries(
    inputs.map((input) => [readAttribute(input, "name")!, readAttribute(input, "value")!]),
  );
}

const ask = async (capability: string, input: object, as = "bot") => {
  const { body } = await server.call(capability, input, {}, as);
  return {
    call: body.call as string,
    id: body.approval.id as string,
    digest: body.waiting.approval.digest as string,
  };
};
const refund = (payment = "pay_4711", as = "bot") => ask("billing.refund", { payment, cents: 1250 }, as);
const readStatus = async (id: string) => (await server.get(`/v1/approvals/${id}`, "bo")).body.status;

it("[TRUST 2] without a session, every page redirects to the login with a way back, and nothing is decided", async () => {
  const { id, digest } = await refund();
  for (const as of [undefined, "nobody", "bot"]) {
    for (const [path, form] of [
      ["/approvals", undefined],
      [`/approvals/${id}?opened=1`, undefined],
      [`/approvals/${id}/decision`, { decision: "approve", digest, proof: "x" }],
      [`/approvals/${id}/reveal`, { digest, proof: "x" }],
    ] as const) {
      const { status, headers, html } = await visit(path, as, form);
      expect([status, html]).toEqual([303, ""]);
      const to = path === "/approvals" ? path : `/approvals/${id}`;
      expect(headers.get("location")).toBe(`/login?${new URLSearchParams({ to })}`);
    }
  }
  const withKey = await server.fetch(`/approvals/${id}`, { as: "bo", redirect: "manual" });
  expect(withKey.status).toBe(303);
  expect(await readStatus(id)).toBe("open");
});

it("[TRUST 2] GET and HEAD requests decide nothing, whatever their query parameters", async () => {
  const { id, digest } = await refund();
  for (const query of ["", "?opened=1", `?decision=approve&digest=${digest}`, "?opened=1&decision=approve"]) {
    expect((await visit(`/approvals/${id}${query}`, "bo")).status).toBe(200);
    const head = await server.fetch(`/approvals/${id}${query}`, {
      method: "HEAD",
      headers: { cookie: "__Host-paraph=bo" },
    });
    expect(head.status).toBe(200);
  }
  expect((await visit(`/approvals/${id}/decision?decision=approve&digest=${digest}`, "bo")).status).toBe(405);
  expect(await readStatus(id)).toBe("open");
});

it("[TRUST 6] [P12] a high-risk call can be approved only after its details are opened, and then runs", async () => {
  const { id, call } = await refund("pay_opened");
  const folded = await visit(`/approvals/${id}`, "bo");
  expect(folded.words).toContain("Review all details before you approve");
  const early = await visit(`/approvals/${id}/decision`, "bo", {
    ...readFormFields(folded, "/decision"),
    decision: "approve",
  });
  expect([early.status, early.words.includes("Paraph recorded nothing")]).toEqual([409, true]);
  expect(await readStatus(id)).toBe("open");

  const opened = await visit(`/approvals/${id}?opened=1`, "bo");
  const decided = await visit(`/approvals/${id}/decision`, "bo", {
    ...readFormFields(opened, "/decision"),
    decision: "approve",
    reason: "",
  });
  expect([decided.status, decided.headers.get("location")]).toEqual([303, `/approvals/${id}`]);
  const { body } = await server.get(`/v1/calls/${call}`, "bot", { prefer: "wait=60" });
  expect([body.outcome.kind, body.output.for]).toEqual(["succeeded", "pay_opened"]);
  const after = await visit(`/approvals/${id}`, "bo");
  expect(after.words).toContain("Approved by bo. The call succeeded.");
  expect(after.html).toContain(`href="/calls/${call}/receipt"`);
  expect(after.html).not.toContain("/decision");
});

it("a medium-risk call is approved on its first page; a denial needs no opened details and keeps its reason", async () => {
  const { id } = await ask("notes.rewrite", { text: "-old\n+new\n" });
  const page = await visit(`/approvals/${id}`, "bo");
  expect(page.words).toContain("-old +new");
  const approved = await visit(`/approvals/${id}/decision`, "bo", {
    ...readFormFields(page, "/decision"),
    decision: "approve",
  });
  expect([approved.status, await readStatus(id)]).toEqual([303, "approved"]);

  const other = await refund();
  const folded = await visit(`/approvals/${other.id}`, "bo");
  const reason = `${"é".repeat(1_990)}\r\n<b>no</b>`;
  const denied = await visit(`/approvals/${other.id}/decision`, "bo", {
    ...readFormFields(folded, "/decision"),
    decision: "deny",
    reason,
  });
  expect([denied.status, await readStatus(other.id)]).toEqual([303, "denied"]);
  const after = await visit(`/approvals/${other.id}`, "bo");
  expect(after.words).toContain("Denied by bo. The call did not run.é");
  expect(after.words).toContain("<b>no</b>");
});

it("[TRUST 5] every vote keeps its reason on the page, and no reason is shown as the words of another voter", async () => {
  const vote = async (id: string, as: string, decision: string, reason: string) => {
    const form = readFormFields(await visit(`/approvals/${id}?opened=1`, as), "/decision");
    expect((await visit(`/approvals/${id}/decision`, as, { ...form, decision, reason })).status).toBe(303);
  };
  const askTwo = async () => {
    const given = { capability: "notes.rewrite", input: { text: "x" }, requirements: { people: 2 } };
    return (await server.post("/v1/calls", "bot", given)).body.approval.id as string;
  };
  const both = await askTwo();
  await vote(both, "bo", "approve", "I asked the author.");
  await vote(both, "audit", "approve", "No objection.");
  expect((await visit(`/approvals/${both}`, "bo")).words).toMatch(
    /Approved by bo .*?UTCI asked the author\..*Approved by audit .*?UTCNo objection\./,
  );
  const denied = await askTwo();
  await vote(denied, "bo", "approve", "I asked the author.");
  await vote(denied, "audit", "deny", "");
  const { words } = await visit(`/approvals/${denied}`, "bo");
  expect(words.match(/I asked the author\./g)).toHaveLength(1);
  expect(words).toMatch(
    /Denied by audit\. The call did not run\..*Approved by bo .*?UTCI asked the author\./,
  );
});

it("[TRUST 1] [TRUST 22] a CSRF token is valid for one session, one approval and one digest", async () => {
  const { id, digest } = await refund();
  const other = await refund();
  const mine = readFormFields(await visit(`/approvals/${id}?opened=1`, "bo"), "/decision");
  const theirs = readFormFields(await visit(`/approvals/${id}?opened=1`, "audit"), "/decision");
  const others = readFormFields(await visit(`/approvals/${other.id}?opened=1`, "bo"), "/decision");
  const attempts = [
    // This token belongs to another round with the same digest.
    { ...mine, proof: createCsrfToken("bo", "opened", other.id, digest) },
    { ...mine, proof: theirs.proof! },
    { ...mine, proof: others.proof! },
    { ...mine, digest: other.digest },
    { ...mine, proof: "" },
    { ...mine, proof: `${mine.proof}x` },
    { digest },
  ];
  for (const form of attempts) {
    for (const decision of ["approve", "deny"]) {
      expect((await visit(`/approvals/${id}/decision`, "bo", { ...form, decision })).status).toBe(409);
    }
  }
  expect(await readStatus(id)).toBe("open");
});

it("[TRUST 22] a form is accepted only from the origin of this server", async () => {
  const { id } = await refund();
  const form = {
    ...readFormFields(await visit(`/approvals/${id}?opened=1`, "bo"), "/decision"),
    decision: "approve",
  };
  for (const origin of ["https://evil.example", "null"]) {
    expect((await visit(`/approvals/${id}/decision`, "bo", form, { origin })).status).toBe(403);
  }
  const response = await server.fetch(`/approvals/${id}/decision`, {
    method: "POST",
    headers: { cookie: "__Host-paraph=bo" },
    body: new URLSearchParams(form),
  });
  expect(response.status).toBe(403);
  expect(await readStatus(id)).toBe("open");
});

it("[TRUST 12] the owner of the agent sees the request but no form, and a posted form is rejected", async () => {
  const { id, digest } = await refund();
  const own = await visit(`/approvals/${id}?opened=1`, "ana");
  expect(own.words).toContain("You cannot decide this request.");
  expect(own.html).not.toMatch(/action="[^"]*\/(decision|reveal|reassign)"/);
  const post = async (action: string, form: Record<string, string>) =>
    (await visit(`/approvals/${id}/${action}`, "ana", { digest, ...form })).status;
  const opened = createCsrfToken("ana", "opened", id, digest);
  expect(await post("decision", { decision: "approve", proof: opened })).toBe(403);
  expect(await post("decision", { decision: "deny", proof: opened })).toBe(403);
  expect(await post("reveal", { proof: createCsrfToken("ana", "shown", id, digest) })).toBe(403);
  expect(await readStatus(id)).toBe("open");
});

it("[TRUST 9] an approval of another tenant is answered with 404", async () => {
  const { id, digest } = await refund();
  for (const path of [`/approvals/${id}`, "/approvals/ask_none", `/approvals/${"x".repeat(500)}`]) {
    const { status, words } = await visit(path, "eve");
    expect([status, words.includes("does not exist, or you do not have access to it")]).toEqual([404, true]);
  }
  expect(
    (await visit(`/approvals/${id}/decision`, "eve", { decision: "deny", digest, proof: "x" })).status,
  ).toBe(404);
  expect((await visit("/approvals", "eve")).words).toContain("No approvals wait for you");
  expect(await readStatus(id)).toBe("open");
});

it("[TRUST 24] a page whose address contains a zero byte is answered with 400 and the reason", async () => {
  const { status, words } = await visit("/approvals/%00", "bo");
  expect(status).toBe(400);
  expect(words).toContain("The address contains a zero byte");
});

it("[TRUST 16] sensitive fields stay masked until they are revealed, which is recorded", async () => {
  const { id, call } = await refund("pay_secret_9");
  const page = await visit(`/approvals/${id}?opened=1`, "bo");
  expect(page.html).not.toContain("pay_secret_9");
  const form = readFormFields(page, "/reveal");
  const unproven = await visit(`/approvals/${id}/reveal`, "bo", { digest: form.digest!, proof: "x" });
  const revealings = async () => {
    const { events } = (await server.get(`/v1/calls/${call}/events`, "bo")).body;
    return events.filter(({ type }: { type: string }) => type === "dev.paraph.call.revealed.v1");
  };
  expect([unproven.status, await revealings()]).toEqual([409, []]);

  const shown = readFormFields(await visit(`/approvals/${id}`, "bo"), "/decision");
  const revealed = await visit(`/approvals/${id}/reveal`, "bo", shown);
  expect([revealed.status, revealed.html.includes("pay_secret_9")]).toEqual([200, true]);
  expect(revealed.headers.get("cache-control")).toBe("no-store");
  expect(await revealings()).toMatchObject([{ data: { by: "bo", paths: ["payment"] } }]);
  expect((await visit(`/approvals/${id}?opened=1`, "bo")).html).not.toContain("pay_secret_9");
  expect(JSON.stringify(server.lines)).not.toContain("pay_secret_9");
});

it("[P5] the page of a replaced round links to the newest round, and its form is rejected", async () => {
  const { id, call } = await refund();
  const before = readFormFields(await visit(`/approvals/${id}?opened=1`, "bo"), "/decision");
  const { status } = server.service.notes;
  server.service.notes.status = "disputed";
  await visit(`/approvals/${id}/decision`, "bo", { ...before, decision: "approve" });
  const again = async () => (await server.get(`/v1/calls/${call}`, "bot")).body.approval;
  await expect.poll(async () => (await again()).round).toBe(2);
  server.service.notes.status = status;
  const newest = (await again()).id;
  const old = await visit(`/approvals/${id}`, "bo");
  expect([old.status, old.html.includes(`href="/approvals/${newest}"`)]).toEqual([200, true]);
  const late = await visit(`/approvals/${id}/decision`, "bo", { ...before, decision: "approve" });
  expect([late.status, late.words.includes("This approval is closed")]).toEqual([409, true]);
  expect((await visit(`/approvals/${newest}`, "bo")).words).toContain(
    "The underlying data changed. Earlier votes no longer count. Review the new preview.",
  );
});

it("[TRUST 4] a form that is posted three times counts once, and the others get 409", async () => {
  const { id } = await ask("notes.rewrite", { text: "x" });
  const form = readFormFields(await visit(`/approvals/${id}`, "bo"), "/decision");
  const posts = [form, form, form].map((each) =>
    visit(`/approvals/${id}/decision`, "bo", { ...each, decision: "approve" }),
  );
  const statuses = (await Promise.all(posts)).map(({ status }) => status).sort();
  expect(statuses).toEqual([303, 409, 409]);
});

it("rejects malformed or oversized forms and other content types", async () => {
  const { id, digest } = await refund();
  const post = async (body: string, type: string) => {
    const headers = { cookie: "__Host-paraph=bo", origin: server.http.url, "content-type": type };
    return (await server.fetch(`/approvals/${id}/decision`, { method: "POST", headers, body })).status;
  };
  const form = "application/x-www-form-urlencoded";
  expect(await post(JSON.stringify({ decision: "approve", digest }), "application/json")).toBe(415);
  expect(await post("decision=maybe", form)).toBe(422);
  expect(await post(`decision=deny&reason=${"x".repeat(2_001)}`, form)).toBe(422);
  expect(await post(`decision=deny&reason=${"x".repeat(140_000)}`, form)).toBe(413);
  expect(await post("decision=deny&decision=approve&__proto__=1&%", form)).toBe(409);
  expect(await readStatus(id)).toBe("open");
});

it("[TRUST 22] pages allow no script, framing or foreign form, and load their style from this server", async () => {
  const { id } = await refund();
  for (const path of ["/approvals", `/approvals/${id}`, "/approvals/ask_none"]) {
    const { headers, html } = await visit(path, "bo");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect([headers.get("cache-control"), headers.get("x-frame-options")]).toEqual(["no-store", "DENY"]);
    const elements = parseElements(html);
    expect(elements.filter(({ tagName }) => ["script", "style", "img", "iframe"].includes(tagName))).toEqual(
      [],
    );
    expect(elements.filter((element) => element.attrs.some(({ name }) => /^(on|style$)/.test(name)))).toEqual(
      [],
    );
    const sheet = elements.find(({ tagName }) => tagName === "link");
    const style = await server.fetch(readAttribute(sheet!, "href")!);
    expect([style.status, style.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  }
});

it("the list shows a person's own requests separately, and its pages contain every approval once", async () => {
  const { id } = await refund();
  const mine = await visit("/approvals", "bo");
  expect(mine.html).toContain(`href="/approvals/${id}"`);
  const own = (await visit("/approvals", "ana")).words;
  expect(own).toMatch(/No approvals wait for you .*Waiting for others .*your own or your agent's request/);

  await Promise.all(Array.from({ length: 60 }, () => refund()));
  const seen: string[] = [];
  let path: string | undefined = "/approvals";
  while (path !== undefined) {
    const links: string[] = parseElements((await visit(path, "bo")).html).flatMap(
      (each) => readAttribute(each, "href") ?? [],
    );
    seen.push(...links.filter((link) => link.startsWith("/approvals/ask_")));
    path = links.find((link) => link.startsWith("/approvals?after="));
  }
  expect(new Set(seen).size).toBe(seen.length);
  const { body } = await server.get("/v1/approvals?limit=100", "bo");
  expect(seen.map((link) => link.slice("/approvals/".length)).sort()).toEqual(
    body.approvals.map(({ approval }: { approval: string }) => approval).sort(),
  );
  expect((await visit("/approvals?after=nonsense", "bo")).status).toBe(200);
});

it("after a decision the page leads to the next request of the reader, and then back to the inbox", async () => {
  const [first, second] = [
    await ask("notes.rewrite", { text: "-old\n+first\n" }),
    await ask("notes.rewrite", { text: "-old\n+second\n" }),
  ];
  const path = `/approvals/${first.id}`;
  const page = await visit(path, "bo");
  expect(page.words).not.toContain("Next request");
  await visit(`${path}/decision`, "bo", {
    ...readFormFields(page, "/decision"),
    decision: "deny",
    reason: "no",
  });
  const decided = await visit(path, "bo");
  expect(decided.words).toContain("Next request");
  const next = async () => (await visit(`/approvals/next?after=${first.id}`, "bo")).headers.get("location");
  const open = new Set<string>();
  for (let location = await next(); location !== "/approvals"; location = await next()) {
    const request = await visit(location!, "bo");
    expect(open.has(location!)).toBe(false);
    open.add(location!);
    const fields = readFormFields(request, "/decision");
    await visit(`${location}/decision`, "bo", { ...fields, decision: "deny", reason: "no" });
  }
  expect(open).toContain(`/approvals/${second.id}`);
});

it("the list of a person's own decisions has each with its reason and outcome, and no decision of others", async () => {
  const decide = async (as: string, decision: string, reason: string, requester = "other") => {
    const { id, call } = await refund("pay_decided", requester);
    const form = readFormFields(await visit(`/approvals/${id}?opened=1`, as), "/decision");
    await visit(`/approvals/${id}/decision`, as, { ...form, decision, reason });
    return call;
  };
  const approved = await decide("audit", "approve", "The customer is right.");
  const denied = await decide("audit", "deny", "");
  await decide("bo", "deny", "Of another person.");
  await decide("bo", "deny", "About your own request.", "audit");
  await server.get(`/v1/calls/${approved}`, "other", { prefer: "wait=60" });
  const { words, html } = await visit("/approvals/decided", "audit");
  expect(words).toMatch(
    /Denied (less than a minute|\d+ min) ago.*Did not run.*Approved (less than a minute|\d+ min) ago.*Succeeded/,
  );
  expect(words).toContain("The customer is right.");
  expect(words).not.toMatch(/Of another person|About your own request/);
  expect(words).not.toContain("pay_decided");
  const links = [...html.matchAll(/href="\/calls\/([^"]+)"/g)].map(([, call]) => call);
  expect(links.slice(0, 2)).toEqual([denied, approved]);
  expect((await visit("/approvals", "audit")).html).toContain('href="/approvals/decided"');
  expect((await visit("/approvals/decided", undefined)).status).toBe(303);
});

it("the receipt of a call is a readable page with a link to download it; an open call has none", async () => {
  const { id, call } = await refund("pay_receipt_9", "other");
  const pending = await visit(`/calls/${call}/receipt`, "bo");
  expect([pending.status, pending.words.includes("The call is still open.")]).toEqual([404, true]);
  const form = readFormFields(await visit(`/approvals/${id}?opened=1`, "bo"), "/decision");
  await visit(`/approvals/${id}/decision`, "bo", { ...form, decision: "approve" });
  await server.get(`/v1/calls/${call}`, "other", { prefer: "wait=60" });
  const { status, words, html } = await visit(`/calls/${call}/receipt`, "bo");
  expect(status).toBe(200);
  expect(words).toContain("The signature is valid.");
  expect(words).toContain("Outcomesucceeded");
  expect(words).toContain("Requested by other (agent).");
  expect(words).toMatch(
    /Paraph asked for approval .*Vote approve · bo · approver .*The call ended succeeded/,
  );
  expect(html).toContain(`href="/v1/calls/${call}/receipt" download="receipt-${call}.json"`);
  expect(html).not.toContain("pay_receipt_9");
  expect((await visit(`/calls/${call}/receipt`, "eve")).status).toBe(404);
});
