// The acceptance stories of approvals, each under its own title, with real PostgreSQL, real Restate and every channel.
// Story 12 needs a browser's layout and is in packages/server/src/web/pages-browser.test.ts.
import { defineCapability, type Json, verifyReceipt } from "@paraph/core";
import { serialize } from "parse5";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { createFixtureWithSide } from "../../packages/adapters/src/git/testing.ts";
import { WebhookReceiver } from "../../packages/server/src/webhooks/testing/receiver.ts";
import { approveByFingerprint } from "../support/approve-by-fingerprint.ts";
import { TestParaph } from "../support/servers/test-paraph.ts";
import { parseElements, readAttribute } from "../support/web/dom.ts";

/** The effects that really happened, by call. */
const effects: { call: string; input: Json }[] = [];
const effectsOf = (call: string) => effects.filter((effect) => effect.call === call);
/** A real repository with a branch `side` to merge into `main`. */
const repository = await createFixtureWithSide();

const send = defineCapability({
  name: "mail.send",
  version: 1,
  summary: "Send a letter",
  effect: "write",
  idempotency: "keyed",
  input: z.object({ to: z.string() }),
  output: z.object({ sent: z.boolean() }),
  preview: async ({ to }) => ({ changes: [{ kind: "send", target: to }], basis: null }),
  apply: async (input, { call }) => {
    effects.push({ call, input });
    return { sent: true };
  },
});
const burn = defineCapability({
  name: "notes.burn",
  version: 1,
  summary: "Burn a note",
  effect: "write",
  idempotency: "keyed",
  input: z.object({ text: z.string() }),
  output: z.object({}),
  apply: async (input, { call }) => {
    effects.push({ call, input });
    return {};
  },
});

const receiver = await new WebhookReceiver().start();
const people = await TestParaph.start(
  {
    capabilities: [send, repository.capability("merge"), burn],
    // The rule applies to every requester, people included.
    rules: [{ capability: "mail.send", ask: true }],
    webhooks: [
      {
        url: receiver.url,
        secret: "hook",
        people: true,
        principals: ["flooder"],
        allowLoopback: true,
        events: ["asked", "reminded", "escalated"],
      },
    ],
  },
  [
    { tenant: "acme", id: "owner", kind: "person" },
    { tenant: "acme", id: "ana", kind: "person" },
    { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
    { tenant: "acme", id: "flooder", kind: "agent", owner: "owner" },
    { tenant: "solo", id: "sam", kind: "person" },
    { tenant: "solo", id: "samsbot", kind: "agent", owner: "sam" },
  ],
  { "acme/hook": `whsec_${Buffer.alloc(24, 7).toString("base64")}` },
  undefined,
  { engine: "restate" },
);
afterAll(async () => {
  await people.stop();
  await receiver.stop();
  await repository[Symbol.asyncDispose]();
});

interface Asked {
  readonly call: string;
  readonly approval: string;
  readonly digest: string;
}

async function ask(as: string, capability: string, input: object): Promise<Asked> {
  const { body } = await people.request(as, "POST", "/v1/calls", { capability, input });
  expect(body.waiting).toMatchObject({ for: "approval" });
  return { call: body.call, approval: body.waiting.approval.id, digest: body.waiting.approval.digest };
}

const approve = (as: string, { approval, digest }: Asked) =>
  people.request(as, "POST", `/v1/approvals/${approval}/decision`, { decision: "approve", digest });

/** Runs the body for all items with limited concurrency, as a few people would act. */
async function inTurn<T, R>(items: readonly T[], body: (item: T) => Promise<R>, atOnce = 16): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += atOnce)
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(body))));
  return results;
}

it("story 3: Given a client that gave up, when a person approves two hours later (injected clock), then one effect, and the result is there on the agent's next turn", async () => {
  const giveUp = new AbortController();
  const turn = people
    .agent("bot")
    .call("mail.send", { to: "ann" }, { key: "letter-to-ann", waitMs: 60_000, signal: giveUp.signal });
  const [asked] = await expect.poll(openApprovals).toHaveLength(1).then(openApprovals);
  giveUp.abort(new Error("the client gave up"));
  await expect(turn).rejects.toThrow("the client gave up");

  await people.clockAhead(2);
  expect((await approve("ana", asked)).status).toBe(200);
  const next = await people
    .agent("bot")
    .call("mail.send", { to: "ann" }, { key: "letter-to-ann", waitMs: 120_000 });
  await people.clockAhead(0);
  expect(next).toMatchObject({ kind: "succeeded", call: asked.call, output: { sent: true } });
  expect(effectsOf(asked.call)).toEqual([{ call: asked.call, input: { to: "ann" } }]);
  const { envelope } = await people.agent("bot").receipt(asked.call);
  expect(envelope).toBeDefined();
});

it("story 4: Given a capability without preview, then the screen says so and shows every byte of the input", async () => {
  const text = `${"<b>line</b> \u202e\u200b\u0007 & \\\n".repeat(400)}the end`;
  const { approval, call } = await ask("bot", "notes.burn", { text });
  const browser = await people.browser("acme", "ana");
  const { text: page } = await browser.open(`${people.url}/approvals/${approval}?opened=1`);
  const said = page.indexOf("There is no preview.");
  expect(said).toBeGreaterThan(0);
  const shown = page.slice(page.indexOf('<div class="code">', said));
  expect(JSON.parse(plain(shown.slice(0, shown.indexOf("</div>"))))).toEqual({ text });
  expect(effectsOf(call)).toEqual([]);
});

it("story 5: Given an approved merge, when the branch head moves, then the approver is asked again", async () => {
  const [main, was] = ["main", "side"].map((branch) => repository.git("rev-parse", branch));
  const first = await ask("bot", "git.merge", { from: "side" });
  const is = repository.git("commit-tree", "-p", "side", "-m", "One more", "side^{tree}");
  repository.git("branch", "--force", "side", is);
  expect((await approve("ana", first)).status).toBe(200);
  const now = await seen(
    first.call,
    ({ waiting }) => ![undefined, first.approval].includes(waiting?.approval?.id),
  );
  expect(now).toMatchObject({ state: "asking", waiting: { for: "approval" } });
  expect(repository.git("rev-parse", "main")).toBe(main);

  // The page of the void round links to the new one. The new page shows the change, and Paraph rejects the old vote.
  const second = { call: first.call, approval: now.waiting.approval.id, digest: now.waiting.approval.digest };
  const browser = await people.browser("acme", "ana");
  const old = await browser.open(`${people.url}/approvals/${first.approval}`);
  expect(old.text).toContain(`/approvals/${second.approval}`);
  const page = plain((await browser.open(`${people.url}/approvals/${second.approval}`)).text);
  for (const moved of [was, is]) expect(page).toContain(moved);
  expect((await approve("ana", first)).status).toBe(409);
  expect((await approve("ana", second)).status).toBe(200);
  expect(await people.agent("bot").wait(first.call, { timeoutMs: 120_000 })).toMatchObject({
    kind: "succeeded",
    output: { branch: "main", parents: [main, is] },
  });
  expect(repository.git("log", "--merges", "--format=%P", "main")).toBe(`${main} ${is}`);
});

it("story 7: Given one person, confirming works and the receipt says so; given two, the requester is refused on every channel", async () => {
  const keys = await people.agent("bot").keys();
  const confirmations: Record<string, (asked: Asked) => Promise<unknown>> = {
    "HTTP API": (asked) => approve("sam", asked),
    page: (asked) => press("solo", "sam", asked),
    "command line": ({ approval }) =>
      approveByFingerprint((...args) => people.cli({ person: "sam" }, ...args), approval),
  };
  for (const [channel, confirm] of Object.entries(confirmations)) {
    const asked = await ask("samsbot", "mail.send", { to: channel });
    await confirm(asked);
    expect(await people.agent("samsbot").wait(asked.call, { timeoutMs: 120_000 })).toMatchObject({
      kind: "succeeded",
    });
    const { story } = await verifyReceipt(await people.agent("samsbot").receipt(asked.call), keys);
    const votes = story.events.filter(({ kind }) => kind === "voted").map(({ data }) => data);
    expect(votes, channel).toMatchObject([{ by: "sam", decision: "approve", as: "confirmation" }]);
  }

  // The requesters are a person, and an agent whose owner tries to approve.
  for (const requester of ["owner", "bot"]) {
    const asked = await ask(requester, "mail.send", { to: "nobody" });
    const overHttp = await approve("owner", asked);
    expect([overHttp.status, overHttp.body.code]).toEqual([403, "approver-not-allowed"]);
    expect((await approve("bot", asked)).status).toBe(requester === "bot" ? 403 : 404);
    // The page offers no form, and Paraph rejects a form that it did not offer.
    expect(await press("acme", "owner", asked)).toEqual({ offered: false, status: 409 });
    const onTheCommandLine = await approveByFingerprint(
      (...args) => people.cli({ person: "owner" }, ...args),
      asked.approval,
    );
    expect(onTheCommandLine).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Another person has to decide"),
    });
    // The SDK is for agents, so it has no function that decides.
    expect(
      Object.keys(people.agent(requester)).filter((verb) => /approve|decide|confirm/.test(verb)),
    ).toEqual([]);
    expect(await look(asked.call)).toMatchObject({ state: "asking" });
    expect(effectsOf(asked.call)).toEqual([]);
    await approve("ana", asked);
  }
});

/**
 * The only notifications are webhooks to endpoints that notify people, both for requests and for reminders. People open
 * the inbox (page, API, command line) themselves, and the bundle must stay one line there.
 */
it("story 8: Given 1,000 asks a minute from one agent, then at most five notifications and one bundle", async () => {
  const letters = Array.from({ length: 1_000 }, (_, n) => ({ to: `reader-${n}` }));
  const asked = await inTurn(letters, (input) => ask("flooder", "mail.send", input), 32);

  const { body } = await people.request("ana", "GET", "/v1/approvals?limit=100");
  expect(body.bundles).toMatchObject([{ principal: "flooder", capability: "mail.send", count: 1_000 }]);
  expect(body.approvals.filter((each: { principal: string }) => each.principal === "flooder")).toEqual([]);
  const browser = await people.browser("acme", "ana");
  const inbox = (await browser.open(`${people.url}/approvals`)).text;
  expect(inbox.match(/flooder/g)?.length).toBeLessThan(4);
  const listed = await people.cli({ person: "ana" }, "approvals");
  expect(listed.stdout.match(/.*flooder.*/g)).toEqual([expect.stringMatching(/1,?000/)]);

  // Half of the time until expiry has passed, so Paraph would send a reminder about each call.
  await people.clockAhead(13);
  await expect.poll(told, { interval: 500, timeout: 480_000 }).toBe(true);
  await people.clockAhead(0);
  const kinds = receiver.received.map((each) => (JSON.parse(each.body) as { type: string }).type);
  expect(kinds.filter((type) => type.includes(".asked.")).length).toBeLessThanOrEqual(5);
  expect(kinds.filter((type) => type.includes(".reminded.")).length).toBeLessThanOrEqual(5);
  expect(kinds.length).toBeGreaterThan(0);
  expect(effectsOf(asked[0]!.call)).toEqual([]);

  /** Returns whether all thousand calls have their reminder and the endpoint has received all its webhooks. */
  async function told(): Promise<boolean> {
    const [row] = await people.database.query(
      `select (select count(*) from paraph.event e join paraph.call c on c.tenant = e.tenant and c.id = e.call
               where c.principal = 'flooder' and e.kind = 'reminded')::int as reminded,
              (select count(*) from paraph.webhook_delivery where delivered < wanted)::int as open`,
    );
    return row?.reminded === 1_000 && row.open === 0;
  }
}, 900_000);

it("story 9: Given 500 waiting calls, when the engine's data is wiped, then all resume, none twice", async () => {
  const asked = await inTurn(
    Array.from({ length: 500 }, (_, n) => ({ to: `waiting-${n}` })),
    (input) => ask("bot", "mail.send", input),
  );
  await people.killEngine();
  // The approver approves half of the calls without any engine, and the others with a new, empty engine.
  await inTurn(asked.slice(0, 250), (each) => approve("ana", each));
  await people.newEngine();
  await inTurn(asked.slice(250), (each) => approve("ana", each));
  const ended = await inTurn(asked, ({ call }) => people.agent("bot").wait(call, { timeoutMs: 120_000 }));
  expect(ended.filter(({ kind }) => kind !== "succeeded")).toEqual([]);
  expect(asked.filter(({ call }) => effectsOf(call).length !== 1)).toEqual([]);
}, 900_000);

async function look(call: string) {
  return (await people.request("ana", "GET", `/v1/calls/${call}`)).body;
}

type View = Awaited<ReturnType<typeof look>>;

async function seen(call: string, holds: (view: View) => boolean): Promise<View> {
  let view: View;
  await expect
    .poll(
      async () => {
        view = await look(call);
        return holds(view);
      },
      { interval: 50 },
    )
    .toBe(true);
  return view;
}

async function openApprovals() {
  return (await people.request("ana", "GET", "/v1/approvals")).body.approvals;
}

/** Presses Approve on the page. If the page has no such button, sends the same request. */
async function press(tenant: string, person: string, { approval, digest }: Asked) {
  const browser = await people.browser(tenant, person);
  const address = `${people.url}/approvals/${approval}`;
  const { text } = await browser.open(`${address}?opened=1`);
  const form = parseElements(text).find(
    (each) => readAttribute(each, "action") === `/approvals/${approval}/decision`,
  );
  const hidden =
    form && parseElements(serialize(form)).find((each) => readAttribute(each, "name") === "proof");
  const proof = (hidden && readAttribute(hidden, "value")) ?? "";
  const response = await browser.fetch(`${address}/decision`, {
    method: "POST",
    body: new URLSearchParams({ decision: "approve", digest, proof }),
    headers: { origin: people.url },
  });
  return { status: response.status, offered: form !== undefined };
}

/** Returns a page's text as a reader sees it. */
function plain(markup: string): string {
  return markup
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/&#(x?)([0-9a-f]+);/gi, (_, hex, code) =>
      String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10)),
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
