import { escapeInvisibleLines } from "@paraph/core/escape-invisible";
import axe from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, launchBrowser } from "../../../../test/support/web/browser.ts";
import { pressEverything } from "../../../../test/support/web/press-everything.ts";
import { TestServer } from "../http/testing/server.ts";
import { pages } from "./pages/index.ts";
import {
  renderLinkPage,
  renderLoggedInPage,
  renderLoginErrorPage,
  renderLoginPage,
} from "./pages/login-page.ts";
import * as listSamples from "./testing/list-samples.ts";
import * as planSamples from "./testing/plan-samples.ts";
import * as samples from "./testing/samples.ts";

const phone = { width: 320, height: 568 };
const tablet = { width: 768, height: 1024 };
const desk = { width: 1280, height: 800 };

describe.runIf(hasBrowser)("in a browser", () => {
  const server = new TestServer();
  let browser: Browser;
  beforeAll(async () => {
    await server.start();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server.stop();
  });

  const as = async (person: string, options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: phone, ...options });
    // Browsers treat loopback as secure, but Playwright sets this cookie only for an https URL.
    const url = server.http.url.replace("http:", "https:");
    await context.addCookies([{ name: "__Host-paraph", value: person, url, secure: true, httpOnly: true }]);
    return context;
  };
  const ask = async (capability: string, input: object) => {
    const { body } = await server.call(capability, input);
    return { call: body.call as string, id: body.approval.id as string };
  };
  const stateOf = async (id: string) => (await server.get(`/v1/approvals/${id}`, "bo")).body.status;

  it("without JavaScript an approver finds a request in the list, opens it and approves it; then the call runs", async () => {
    const { id, call } = await ask("billing.refund", { payment: "pay_browser", cents: 1250 });
    await using context = await as("bo", { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${server.http.url}/approvals`);
    await page.locator(`a[href="/approvals/${id}"]`).click();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await page.getByRole("link", { name: "Show what will change" }).click();
    await page.getByText("Add reason or instructions").click();
    await page.getByRole("textbox", { name: "Recorded" }).fill("seen");
    await page.getByRole("button", { name: "Approve" }).click();
    expect(await page.getByRole("status").textContent()).toContain("Approved by bo.");
    const { body } = await server.get(`/v1/calls/${call}`, "bot", { prefer: "wait=60" });
    expect([body.outcome.kind, body.reason]).toEqual(["succeeded", "seen"]);
  });

  it.each([phone, { width: 390, height: 844 }, desk])(
    "[TRUST 6] a second tap where the details were opened decides nothing (%o)",
    async (viewport) => {
      const { id } = await ask("billing.refund", { payment: "pay_twice", cents: 1250 });
      await using context = await as("bo", { viewport });
      const page = await context.newPage();
      await page.goto(`${server.http.url}/approvals/${id}`);
      const box = (await page.getByRole("link", { name: "Show what will change" }).boundingBox())!;
      const deny = (await page.getByRole("button", { name: "Deny request" }).boundingBox())!;
      const tap = () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await tap();
      await page.waitForURL("**/*?opened=1#changes");
      const approve = (await page.getByRole("button", { name: "Approve request" }).boundingBox())!;
      // The buttons do not come closer to the place of the first tap, and Deny stays where it was.
      expect(approve.y).toBeGreaterThan(box.y + box.height);
      expect(await page.getByRole("button", { name: "Deny request" }).boundingBox()).toEqual(deny);
      await tap();
      await page.goto(`${server.http.url}/approvals/${id}`);
      expect(await stateOf(id)).toBe("open");
    },
  );

  it("[P13] without JavaScript an approver unticks one step of a plan and approves the rest", async () => {
    const pin = (id: string) => ({ id, capability: "notes.pin", input: { place: id, text: id } });
    const refund = {
      id: "back",
      capability: "billing.refund",
      input: { payment: "pay_plan", cents: 1 },
    };
    const { body } = await server.post("/v1/plans", "bot", {
      plan: { version: 1, steps: [pin("left"), refund, pin("right")] },
    });
    await using context = await as("bo", { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${server.http.url}/approvals`);
    await page.getByRole("link", { name: /and 2 more steps/ }).click();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await page.getByRole("link", { name: "Show what will change" }).click();
    const steps = page.getByRole("checkbox", { name: /^Approve step/ });
    expect([await steps.count(), await steps.nth(1).isChecked()]).toEqual([3, true]);
    await steps.nth(1).uncheck();
    await page.getByRole("button", { name: "Approve selected steps" }).click();
    expect(await page.getByRole("status").textContent()).toContain("Approved by bo without step 2.");
    const { body: done } = await server.get(`/v1/plans/${body.call}`, "bot", { prefer: "wait=60" });
    expect(done.steps.map(({ status }: { status: string }) => status)).toEqual([
      "closed",
      "declined",
      "closed",
    ]);
    expect(server.service.notes.refunded).not.toContain("pay_plan");
    await page.goto(`${server.http.url}/approvals/${body.approval.id}`);
    await page.getByRole("link", { name: "View step" }).first().click();
    expect(await page.getByRole("status").textContent()).toContain("The call succeeded.");
    await page.getByRole("link", { name: "a plan" }).click();
    expect(page.url()).toContain(body.approval.id);
  });

  it("[TRUST 2] a client without a login that follows links, runs scripts and presses buttons decides nothing", async () => {
    const { id } = await ask("billing.refund", { payment: "pay_robot", cents: 1250 });
    await using context = await browser.newContext({ viewport: phone });
    const paths = [
      ...[`/approvals/${id}`, `/approvals/${id}?opened=1`],
      ...["/approvals", `/approvals/${id}/decision`],
    ];
    await pressEverything(
      context,
      paths.map((path) => server.http.url + path),
    );
    const form = { decision: "approve" };
    const posted = await context.request.post(`${server.http.url}/approvals/${id}/decision`, { form });
    expect(posted.url()).toContain("/login");
    expect(await stateOf(id)).toBe("open");
  });

  describe("story 12: Given an approver on a 320 px screen with a 1 MB preview, then approve and deny are visible, everything is reachable, and high risk needs the preview to have been opened", () => {
    it.each([
      ["a preview of 1 MB", "notes.overwrite", "+ what will be written, line after line\n".repeat(25_000)],
      ["one line of 1 MB", "notes.overwrite", `+${"0123456789".repeat(100_000)}`],
      ["an input of 1 MB without a preview", "notes.burn", "<b>\u202e ".repeat(125_000)],
    ])("%s", async (_, capability, text) => {
      const { id } = await ask(capability, { text });
      await using context = await as("bo");
      const page = await context.newPage();
      await page.goto(`${server.http.url}/approvals/${id}`);
      await expectPinned(page, ["Deny request", "To approve, review the changes first."]);
      await page.getByRole("link", { name: "Show what will change" }).click();
      await page.waitForURL("**/*?opened=1#changes");
      await expectPinned(page, ["Deny request", "Approve request"]);
      const shown = (await page.locator(".substance .code").first().textContent()) ?? "";
      if (capability === "notes.overwrite")
        expect(shown === escapeInvisibleLines(text).join("\n")).toBe(true);
      else expect(JSON.parse(shown)).toEqual({ text });
      await page.evaluate("document.querySelector('.substance .code').scrollIntoView({ block: 'end' })");
      await expectPinned(page, ["Deny request", "Approve request"]);
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      await expectPinned(page, ["Deny request", "Approve request"]);
      await page.getByRole("button", { name: "Deny" }).click();
      await page.waitForURL(`**/approvals/${id}`);
      expect(await stateOf(id)).toBe("denied");
    });
  });

  it("[TRUST 5] hostile text appears as text only; it opens no dialog, sends no request and adds no element", async () => {
    const { body } = await server.post("/v1/calls", "bot", {
      capability: "notes.overwrite",
      input: { text: samples.hostileText },
      purpose: samples.hostileText,
    });
    await using context = await as("bo");
    const page = await context.newPage();
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(`${server.http.url}/`)) elsewhere.push(request.url());
    });
    page.on("dialog", (dialog) => elsewhere.push(dialog.message()));
    await page.goto(`${server.http.url}/approvals/${body.approval.id}?opened=1`);
    const said = await page.locator(".purpose .code").first().textContent();
    expect(said).toBe(escapeInvisibleLines(samples.hostileText).join("\n"));
    expect(await page.locator("form").count()).toBe(4);
    expect(await page.locator("script, img, iframe, style, b").count()).toBe(0);
    expect(elsewhere).toEqual([]);
  });

  it("[TRUST 2] a client without a login that submits every form of an approver's pages decides nothing", async () => {
    const { id, call } = await ask("billing.refund", { payment: "pay_visitor", cents: 1250 });
    const { body: lost } = await server.call("notes.lose", { text: "x" }, { prefer: "wait=60" });
    await using browserContext = await as("bo");
    const reading = await browserContext.newPage();
    const paths = [`/approvals/${id}?opened=1`, `/approvals/${id}/edit`, "/approvals/unknown", "/approvals"];
    const markup: string[] = [];
    for (const path of paths) {
      await reading.goto(server.http.url + path);
      markup.push(await reading.content());
    }
    // Loads the exact pages of a logged-in person, with their tokens, in a browser without a session.
    await using context = await browser.newContext({ viewport: phone });
    for (const [index, html] of markup.entries()) {
      const page = await context.newPage();
      const copy = `${server.http.url}/copy-${index}`;
      await page.route(copy, (route) => route.fulfill({ body: html, contentType: "text/html" }));
      await page.goto(copy);
      const buttons = await page.locator("button").count();
      for (let button = 0; button < buttons; button += 1) {
        await page.goto(copy);
        await page.evaluate(
          `document.querySelectorAll("textarea, input[name=to]").forEach((each) => { each.value ||= "words" })`,
        );
        const sent = page.waitForURL((url) => !url.pathname.startsWith("/copy"));
        await page.evaluate(
          `((each) => each.form.requestSubmit(each))(document.querySelectorAll("button")[${button}])`,
        );
        await sent;
        expect(new URL(page.url()).pathname).toBe("/login");
      }
      for (const link of await page.locator("a").evaluateAll((all) => all.map((each) => each.href)))
        if (link.startsWith(server.http.url)) await page.goto(link).catch(() => undefined);
    }
    expect(await stateOf(id)).toBe("open");
    expect((await server.get(`/v1/calls/${call}`, "bo")).body.state).toBe("asking");
    expect((await server.get(`/v1/calls/${call}/messages`, "bo")).body.messages).toEqual([]);
    expect((await server.get(`/v1/calls/${lost.call}`, "bo")).body.resolution).toBeUndefined();
  });

  const shown: Record<string, string> = {
    "high risk": pages.approval(samples.refundSample),
    opened: pages.approval(samples.openedRefundSample),
    "a diff": pages.approval(samples.fileChangeSample),
    "rows and two people": pages.approval(samples.querySample),
    "hostile text": pages.approval(samples.hostileSample),
    denied: pages.approval(samples.deniedSample),
    "one's own": pages.approval(samples.ownCallSample),
    "asked again": pages.approval(samples.secondRoundSample),
    "asked for a choice": pages.approval(samples.choiceSample),
    answered: pages.approval(samples.answeredSample),
    plan: pages.approval(planSamples.planSample),
    "an opened plan": pages.approval(planSamples.openedPlanSample),
    "a plan on its way": pages.approval(planSamples.begunPlanSample),
    receipt: pages.receipt(listSamples.receiptSample),
    "a step of a plan": pages.call(planSamples.stepCallSample),
    edit: pages.edit(samples.editSample),
    "decided by you": pages.decided(listSamples.decidedSample),
    "unknown outcomes": pages.unknowns(listSamples.unknownsSample),
    bundle: pages.bundle(listSamples.bundleSample),
    "the result of a bundle": pages.bundleResult(listSamples.bundleResultSample),
    list: pages.inbox(listSamples.inboxSample),
    "empty list": pages.inbox({ ...listSamples.inboxSample, items: [] }),
    login: renderLoginPage("login.example.com", "/approvals"),
    "login link": renderLinkPage("acme.token", { tenant: "acme", principal: "bo", expiresAt: samples.now }),
    "logged in": renderLoggedInPage({ tenant: "acme", id: "bo", kind: "person" }, true),
    "login error": renderLoginErrorPage("Unknown user", "Paraph does not know this account."),
    notice: pages.notice({
      title: "Nothing here",
      text: "Go on there.",
      link: { href: "/approvals", text: "There" },
    }),
  };

  const show = async (html: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: phone, ...options });
    const page = await context.newPage();
    await page.route("**/sample", (route) => route.fulfill({ body: html, contentType: "text/html" }));
    await page.goto(`${server.http.url}/sample`);
    return page;
  };

  it("[TRUST 6] a bundle asks for a reason only while a denial is chosen, also without JavaScript", async () => {
    const page = await show(pages.bundle(listSamples.bundleSample), { javaScriptEnabled: false });
    await using _ = page.context();
    const reason = page.getByRole("textbox", { name: "Reason for all denials" });
    await page.getByRole("radio", { name: "Approve" }).first().check();
    expect(await reason.isVisible()).toBe(false);
    await page.getByRole("radio", { name: "Deny" }).last().check();
    expect(await reason.isVisible()).toBe(true);
  });

  it("[TRUST 27] without JavaScript a page offers no button that needs a passkey", async () => {
    const needsPasskey = { ...samples.openedRefundSample, needsPasskey: true };
    for (const javaScriptEnabled of [true, false]) {
      const page = await show(pages.approval(needsPasskey), { javaScriptEnabled });
      await using _ = page.context();
      expect(await page.getByRole("button", { name: "with passkey" }).isVisible()).toBe(javaScriptEnabled);
      expect(await page.locator("noscript p").isVisible()).toBe(!javaScriptEnabled);
    }
  });

  it("[TRUST 6] a phone shows every column of a sample, and a critical approval does not look like a denial", async () => {
    const opened = { opened: true, mustOpen: false, forms: { deny: "shown", approve: "opened" } } as const;
    const html = pages.approval({ ...samples.querySample, ...opened });
    const page = await show(html, { viewport: { width: 390, height: 844 } });
    await using _ = page.context();
    const hidden = page
      .locator(".rows")
      .evaluateAll((all) => all.map((each) => each.scrollWidth - each.clientWidth));
    expect(await hidden).toEqual([0]);
    const colors = await page.evaluate<string[]>(
      `["approve", "deny"].map((name) => getComputedStyle(document.querySelector("button." + name)).borderTopColor)`,
    );
    expect(new Set(colors).size).toBe(2);
  });

  it.each(Object.entries(shown))(
    "%s: axe finds no serious violation, nothing overflows, and buttons are at least 44 px high",
    async (_, html) => {
      const page = await show(html);
      await using _context = page.context();
      for (const viewport of [phone, tablet, desk]) {
        await page.setViewportSize(viewport);
        expect(await overflow(page)).toBe(0);
        const small = await page
          .locator("button:visible, .button:visible, summary:visible")
          .evaluateAll((all) => all.filter((each) => each.getBoundingClientRect().height < 44).length);
        expect(small).toBe(0);
      }
      await page.evaluate(axe.source);
      expect(await findSeriousViolations(page, {})).toEqual([]);
      // The colors are all that differs in the dark.
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await findSeriousViolations(page, { runOnly: ["color-contrast"] })).toEqual([]);
    },
  );
});

/**
 * Checks that these buttons are on the screen and uncovered at any scroll position, and that the page has no horizontal
 * overflow.
 */
async function expectPinned(page: Page, answers: readonly string[]): Promise<void> {
  const pinned = await page.evaluate(`[...document.querySelectorAll(".answers > *")].filter((each) => {
    const { top, bottom, left, right } = each.getBoundingClientRect();
    const isInside = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
    return isInside && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === each;
  }).map((each) => each.textContent)`);
  expect(pinned).toEqual(answers);
  expect(await overflow(page)).toBe(0);
}

/** Runs axe, which the page has loaded, and returns the rules that it finds broken and where. */
async function findSeriousViolations(page: Page, options: axe.RunOptions): Promise<unknown[]> {
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]);
}

function overflow(page: Page): Promise<unknown> {
  return page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)");
}
