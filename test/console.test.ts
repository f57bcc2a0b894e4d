// Tests the console in a browser, against a complete Paraph: approve, deny, live updates, keyboard, widths and colors.
import { escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hostileText } from "../packages/server/src/web/testing/samples.ts";
import { hasBrowser } from "./support/web/browser.ts";
import { ConsoleBrowser, findSeriousViolations, pressSequence } from "./support/web/console-browser.ts";
import type { ConsoleFixture } from "./support/web/console-fixture.ts";

describe.runIf(hasBrowser)("the console", () => {
  let browser: ConsoleBrowser;
  let fixture: ConsoleFixture;
  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
    fixture = browser.fixture;
  });
  afterAll(() => browser?.stop());
  afterEach(() => {
    expect(browser.complaints.splice(0)).toEqual([]);
  });

  const open: ConsoleBrowser["open"] = (...given) => browser.open(...given);
  const statusOf = async (approval: string) =>
    (await fixture.paraph.request("Bo Nilsen", "GET", `/v1/approvals/${approval}`)).body.status;
  const refund = (to: string, purpose?: string) =>
    fixture.ask("support-bot", "shop.refund", { payment: `pay_${to}`, cents: 300_000, to }, purpose);
  const write = (path: string) => fixture.ask("release-bot", "shop.write", { path, text: "retries: 5" });
  const fact = (page: Page) => page.getByRole("heading", { level: 1 });

  it("[TRUST 22] shows the inbox to a logged-in browser only, from this server only, without inline code", async () => {
    await using visitor = await browser.openAsVisitor(`${fixture.url}/console/inbox?tab=others`);
    expect(new URL(visitor.page.url()).searchParams.get("to")).toBe("/console/inbox?tab=others");
    await using opened = await open("/");
    await opened.page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
    expect(new URL(opened.page.url()).pathname).toBe("/console/");
    const response = await opened.page.request.get(`${fixture.url}/console/inbox`);
    const policy = response.headers()["content-security-policy"];
    expect(policy).toContain("script-src 'self'; style-src 'self'");
    expect(policy).not.toContain("unsafe");
  });

  it("[TRUST 22] a decision with the session needs the origin of this server", async () => {
    const { approval } = await write("origin.yaml");
    const { body } = await fixture.paraph.request("Bo Nilsen", "GET", `/v1/approvals/${approval}`);
    await using opened = await open("/console/inbox");
    const data = { decision: "approve", digest: body.digest };
    const path = `${fixture.url}/v1/approvals/${approval}/decision`;
    const context = opened.page.context().request;
    expect((await context.post(path, { data })).status()).toBe(403);
    const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await context.post(path, { data, headers: foreign })).status()).toBe(403);
    expect(await statusOf(approval)).toBe("open");
    await fixture.decide("Bo Nilsen", approval, "deny");
  });

  it("[TRUST 9] [P10] the event stream names only calls that the reader may see, and contains ids and codes only", async () => {
    const streams = await Promise.all(
      ["Bo Nilsen", "support-bot", "release-bot"].map(async (principal) => {
        const headers = { authorization: `Bearer ${fixture.paraph.key(principal)}` };
        const stopped = new AbortController();
        const { body } = await fetch(`${fixture.url}/v1/events`, { headers, signal: stopped.signal });
        const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        const read = async () => {
          for (;;) {
            const { value, done } = await reader.read();
            if (done) return;
            text += value;
          }
        };
        const reading = read().catch(() => {});
        await expect.poll(() => text).toContain("event: ready");
        const stop = () => {
          stopped.abort();
          return reading;
        };
        return { text: () => text, stop };
      }),
    );
    const [refunded, written] = [await refund("Event"), await write("event.yaml")];
    const listing = ({ call }: { call: string }) => expect.stringContaining(`"call":"${call}"`);
    await expect
      .poll(() => streams.map(({ text }) => text()))
      .toEqual([listing(written), listing(refunded), listing(written)]);
    await expect.poll(() => streams[0]!.text()).toContain(refunded.call);
    const [person = "", support = "", release = ""] = streams.map(({ text }) => text());
    expect(support).not.toContain(written.call);
    expect(release).not.toContain(refunded.call);
    expect(person).not.toMatch(/Event|event\.yaml|€/);
    await Promise.all(streams.map(({ stop }) => stop()));
    for (const { approval } of [refunded, written]) await fixture.decide("Bo Nilsen", approval, "deny");
  });

  it("the first load of the inbox is at most 250 KB, compressed as it is sent", async () => {
    const { approval } = await write("first-load.yaml");
    await using opened = await open("/approvals");
    const { page } = opened;
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Network.enable");
    let bytes = 0;
    cdp.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`${fixture.url}/console/inbox`);
    await page.getByRole("link", { name: /Change first-load\.yaml/ }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.evaluate("document.fonts.ready.then(() => true)");
    await expect.poll(() => bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(250_000);
    await fixture.decide("Bo Nilsen", approval, "deny");
  });

  it("an approver reads a medium risk and approves it with one press; the call then runs", async () => {
    const { approval, call } = await write("config.yaml");
    await using opened = await open("/console/inbox");
    const { page } = opened;
    await page.getByRole("link", { name: /Change config\.yaml/ }).click();
    await expect.poll(() => fact(page).textContent()).toBe("Change config.yaml");
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText(/Approved by you/).waitFor();
    expect(await statusOf(approval)).toBe("approved");
    await page.getByRole("link", { name: "Follow the call" }).click();
    await page.getByText("Succeeded", { exact: true }).waitFor();
    expect(page.url()).toContain(`/console/calls/${call}`);
    await page.getByText("Bo Nilsen approved", { exact: true }).waitFor();
  });

  it("[TRUST 6] high risk needs all changes to be seen and a second press, and sends the digest that was shown", async () => {
    const { approval } = await refund("Jon Ash", "Order 10442 arrived broken.");
    await using opened = await open(`/console/approvals/${approval}`, "Bo Nilsen", {
      viewport: { width: 390, height: 664 },
    });
    const { page } = opened;
    await expect.poll(() => fact(page).textContent()).toBe("Refund €3,000.00 to Jon Ash");
    const approve = page.getByRole("button", { name: "Approve…" });
    await approve.waitFor();
    await page.getByRole("button", { name: "Deny" }).waitFor();
    await page.getByText("after: refunded").scrollIntoViewIfNeeded();
    await page
      .locator("#changes")
      .evaluate((heading) => heading.closest("section")?.scrollIntoView({ block: "end" }));
    await expect.poll(() => approve.getAttribute("aria-disabled")).toBe("false");
    await approve.click();
    await expect.poll(() => page.getByRole("dialog").textContent()).toContain("Refund €3,000.00 to Jon Ash?");
    expect(await statusOf(approval)).toBe("open");
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    const { body } = await fixture.paraph.request("Bo Nilsen", "GET", `/v1/approvals/${approval}`);
    expect((await sent).postDataJSON()).toEqual({ decision: "approve", digest: body.digest });
    await page.getByText(/Approved by you/).waitFor();
    await expect.poll(() => fixture.refunds).toContain("pay_Jon Ash");
  });

  it("[TRUST 6] a long change of high risk is locked until its end was on the screen", async () => {
    const { approval } = await fixture.ask("ops-bot", "shop.purge", { rows: 12_431 });
    await using opened = await open(`/console/approvals/${approval}`, "Bo Nilsen", {
      viewport: { width: 390, height: 664 },
    });
    const { page } = opened;
    const approve = page.getByRole("button", { name: "Approve…" });
    await page.getByText("Read everything that will change").waitFor();
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    await approve.click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByText("Why you are asked").scrollIntoViewIfNeeded();
    await page.getByText("Type “public.customers” to approve.").waitFor();
    // The buttons are in one row beside the list, at a common width.
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${fixture.url}/console/inbox?sel=${approval}`);
    await page.getByText("Why you are asked").scrollIntoViewIfNeeded();
    await page.getByText("Type “public.customers” to approve.").waitFor();
    const deny = await page.getByRole("button", { name: "Deny" }).boundingBox();
    expect((await approve.boundingBox())?.y).toBe(deny?.y);
    await page.getByRole("textbox", { name: "Type public.customers" }).fill("public.customers");
    await approve.click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByText("You approved at").waitFor();
    expect(await statusOf(approval)).toBe("open");
    await fixture.decide("Ana Lima", approval, "deny");
    await page.getByText(/Denied.* by Ana Lima/).waitFor();
    expect(await page.getByRole("button", { name: "Deny" }).count()).toBe(0);
  });

  it("with the keyboard alone: J selects, A only focuses, Enter approves, D and Enter deny, ? shows the keys", async () => {
    const [first, second] = [await write("first.yaml"), await write("second.yaml")];
    await using opened = await open("/console/inbox?q=.yaml");
    const { page } = opened;
    await page.getByRole("link", { name: /second\.yaml/ }).waitFor();
    await page.keyboard.press("j");
    await expect.poll(() => fact(page).textContent()).toBe("Change first.yaml");
    await page.keyboard.press("j");
    await expect.poll(() => fact(page).textContent()).toBe("Change second.yaml");
    await page.keyboard.press("k");
    await expect.poll(() => fact(page).textContent()).toBe("Change first.yaml");
    await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
    await page.keyboard.press("a");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Approve");
    expect(await statusOf(first.approval)).toBe("open");
    await page.keyboard.press("Enter");
    await page.getByText(/Approved by you/).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
    await page.keyboard.press("d");
    expect(await statusOf(second.approval)).toBe("open");
    await page.keyboard.press("Enter");
    await page.getByText(/Denied.* by you/).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await pressSequence(page, "g", "c");
    await page.waitForURL("**/console/calls");
    expect([await statusOf(first.approval), await statusOf(second.approval)]).toEqual(["approved", "denied"]);
  });

  it("new requests appear as a count and move no row; a decision of another person shows in place", async () => {
    const { approval } = await write("kept.yaml");
    await using opened = await open("/console/inbox?q=.yaml");
    const { page } = opened;
    const rows = page.getByRole("listitem");
    await page.getByText("Live", { exact: true }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    const later = await write("later.yaml");
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await page.title()).toBe("(2) Inbox · Paraph");
    await page.getByRole("button", { name: "1 new" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await fixture.decide("Dora Lindqvist", approval, "deny");
    await page.getByText("No longer open").waitFor();
    await expect.poll(() => rows.first().textContent()).toContain("kept.yaml");
    await fixture.decide("Dora Lindqvist", later.approval, "deny");
  });

  it("a decision without an answer is not known to have arrived, and is looked up, never sent again", async () => {
    const { approval } = await write("lost.yaml");
    await using opened = await open(`/console/approvals/${approval}`);
    const { page } = opened;
    let sent = 0;
    await page.route("**/decision", async (route) => {
      sent += 1;
      await route.fetch();
      await route.abort("connectionreset");
    });
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Not known whether your answer arrived").waitFor();
    await page.getByRole("button", { name: "Look it up" }).click();
    await page.getByText(/Denied.* by you/).waitFor();
    expect(sent).toBe(1);
    browser.complaints.splice(0);
  });

  it("returns with instructions, and asks the requester a question", async () => {
    const { approval, call } = await write("return.yaml");
    await using opened = await open(`/console/approvals/${approval}`);
    const { page } = opened;
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByRole("textbox").fill("Is this tested?");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.getByText("Is this tested?").waitFor();
    await page.keyboard.press("r");
    await page.getByRole("textbox").fill("Use five retries.");
    await page.getByRole("dialog").getByRole("button", { name: "Return with instructions" }).click();
    await page.getByText(/Returned with instructions.* by you/).waitFor();
    const { body } = await fixture.paraph.request("release-bot", "GET", `/v1/calls/${call}`);
    expect(body.instructions).toBe("Use five retries.");
  });

  it("[TRUST 5] hostile text appears as visible text on every screen; it adds no element and no request", async () => {
    const line = hostileText.split("\n")[0] ?? "";
    const { approval, call } = await fixture.ask(
      "support-bot",
      "shop.run",
      { command: hostileText },
      hostileText,
    );
    const named = await refund(line);
    await using opened = await open(`/console/approvals/${approval}`);
    const { page } = opened;
    const quote = await page.locator("blockquote").textContent();
    expect(quote).toBe(escapeInvisibleLines(hostileText).join("\n"));
    for (const path of ["/inbox", `/approvals/${named.approval}`, "/calls", `/calls/${call}?tab=data`]) {
      await page.goto(`${fixture.url}/console${path}`);
      await page.getByText("gpj.exe").first().waitFor();
      await expect.poll(() => page.locator("#root").textContent()).toMatch(/<U\+202E>|\\u202e/);
      expect(await page.locator("#root :is(script, img, iframe, style, b)").count()).toBe(0);
    }
    for (const each of [approval, named.approval]) await fixture.decide("Bo Nilsen", each, "deny");
  });

  it.each([
    ["light", [1440, 768]],
    ["dark", [320, 390]],
  ] as const)(
    "axe finds no serious violation and nothing overflows: %s, %j px",
    async (colorScheme, widths) => {
      const asked = await refund("Mia Voss", "The customer returned the lamp.");
      const viewport = { width: widths[0], height: 568 };
      await using opened = await open("/console/inbox", "Bo Nilsen", { viewport, colorScheme });
      const { page } = opened;
      for (const path of [
        "/inbox?tab=decided",
        "/calls",
        `/calls/${asked.call}`,
        `/inbox?sel=${asked.approval}`,
      ]) {
        await page.goto(`${fixture.url}/console${path}`);
        await page
          .getByText(/Refund €3,000\.00 to|Change first|Nothing approved/)
          .filter({ visible: true })
          .first()
          .waitFor();
        expect(await findSeriousViolations(page), path).toEqual([]);
        for (const width of [widths[1], widths[0]]) {
          await page.setViewportSize({ ...viewport, width });
          expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), path).toBe(0);
        }
      }
      for (const name of ["Deny", "Approve…"]) {
        const box = await page.getByRole("button", { name }).boundingBox();
        expect(box && box.y + box.height <= viewport.height && box.x + box.width <= viewport.width).toBe(
          true,
        );
      }
      await fixture.decide("Bo Nilsen", asked.approval, "deny");
    },
  );

  // Takes pictures of every screen for review.
  it.runIf(process.env.PARAPH_TEST_SCREENSHOTS !== undefined)("has screenshots", async () => {
    const folder = process.env.PARAPH_TEST_SCREENSHOTS;
    const asks = [
      await fixture.ask(
        "ops-bot",
        "shop.purge",
        { rows: 12_431 },
        "Clean up inactive accounts before the pricing change.",
      ),
      await refund("Jon Ash", "Order 10442 arrived broken; customer asks for the full amount."),
      await write("config.yaml"),
      await refund("Mia Voss"),
      await write("deploy/web.yaml"),
      await fixture.ask("release-bot", "shop.run", { command: "npm publish" }),
    ];
    await fixture.decide("Dora Lindqvist", asks[3]!.approval, "approve");
    const [purge, ash] = asks.map(({ approval }) => approval);
    const screens = [
      ["inbox", `/inbox?sel=${ash}`],
      ["critical", `/inbox?sel=${purge}`],
      ["medium", `/inbox?sel=${asks[2]!.approval}`],
      ["no-preview", `/inbox?sel=${asks[5]!.approval}`],
      ["list", "/inbox"],
      ["decided", "/inbox?tab=decided"],
      ["calls", "/calls"],
      ["call", `/calls/${asks[3]!.call}`],
    ] as const;
    const sizes = {
      desk: [1440, 900, 1],
      tablet: [768, 1024, 1],
      phone: [390, 844, 2],
      small: [320, 568, 2],
    } as const;
    for (const [size, [width, height, deviceScaleFactor]] of Object.entries(sizes))
      for (const colorScheme of ["light", "dark"] as const) {
        const options = { viewport: { width, height }, colorScheme, deviceScaleFactor };
        await using opened = await open("/console/inbox", "Bo Nilsen", options);
        for (const [name, path] of screens) {
          await opened.page.goto(`${fixture.url}/console${path}`);
          await opened.page.waitForLoadState("load");
          await opened.page
            .getByText(/Refund|rows of|Change|Run a/)
            .filter({ visible: true })
            .first()
            .waitFor();
          await opened.page.evaluate("document.fonts.ready.then(() => true)");
          await opened.page.screenshot({ path: `${folder}/console-${name}-${size}-${colorScheme}.png` });
        }
      }
    for (const { approval } of asks) await fixture.decide("Bo Nilsen", approval, "deny");
  });
});
