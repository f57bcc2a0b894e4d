// Tests the screens of the console for operators: home, search of calls, unknown outcomes, people and freezes.
import { readFileSync } from "node:fs";
import { mail } from "@paraph/server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MailServer } from "./support/mail-server.ts";
import { hasBrowser } from "./support/web/browser.ts";
import { ConsoleBrowser, findSeriousViolations, pressSequence } from "./support/web/console-browser.ts";
import type { ConsoleFixture } from "./support/web/console-fixture.ts";

describe.runIf(hasBrowser)("the console of operators", () => {
  let browser: ConsoleBrowser;
  let fixture: ConsoleFixture;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await new MailServer().start();
    const channel = mail({ from: "paraph@example.com", smtp: { url: mails.url } });
    browser = await ConsoleBrowser.start({}, {}, { channels: [channel] });
    fixture = browser.fixture;
    await fixture.paraph.database.query(
      "select paraph.contact_set('acme', 'Dora Lindqvist', 'mail', 'dora@example.com', 'administration')",
    );
  });
  afterAll(async () => {
    await browser?.stop();
    await mails.stop();
  });
  afterEach(() => {
    expect(browser.complaints.splice(0)).toEqual([]);
  });

  const refund = (to: string) =>
    fixture.ask("support-bot", "shop.refund", { payment: `pay_${to}`, cents: 300_000, to });
  const write = (path: string) => fixture.ask("release-bot", "shop.write", { path, text: "retries: 5" });

  it("leads a new tenant to its first approved action, and ticks each step when it happens", async () => {
    await using opened = await browser.open("/console/");
    const { page } = opened;
    const steps = page.getByRole("listitem").filter({ has: page.getByRole("status") });
    await expect.poll(() => steps.filter({ hasText: "(to do)" }).count()).toBe(3);
    await page.getByText("Live", { exact: true }).waitFor();
    const { approval, call } = await write("first.yaml");
    await steps.first().getByText("(done)").waitFor({ state: "attached" });
    await page.getByRole("link", { name: /Change first\.yaml/ }).waitFor();
    await fixture.decide("Bo Nilsen", approval, "approve");
    await expect.poll(() => steps.filter({ hasText: "(done)" }).count()).toBe(3);
    await page.getByRole("link", { name: "Open the call" }).click();
    await page.waitForURL(`**/console/calls/${call}`);
    await page.goto(`${fixture.url}/console/`);
    await page.getByRole("heading", { name: "Calls in the last 24 hours" }).waitFor();
    expect(await steps.count()).toBe(0);
  });

  it("home shows what waits soonest, what happened, and who was blocked and why", async () => {
    const denied = await refund("Eve");
    await fixture.decide("Dora Lindqvist", denied.approval, "deny");
    const waiting = await write("home.yaml");
    const refused = { kind: "tenant", subject: "acme" };
    await fixture.ask("support-bot", "admin.freeze", refused);
    await using opened = await browser.open("/console/");
    const { page } = opened;
    const card = (name: string) =>
      page.getByRole("region").filter({ has: page.getByRole("heading", { name, exact: true }) });
    await page.getByRole("heading", { level: 1, name: "1 decision waits for you" }).waitFor();
    await card("Soonest first").getByText("Change home.yaml").waitFor();
    await card("Not performed").getByText("Refund €3,000.00 to Eve").waitFor();
    await card("Not performed")
      .getByText("Only a person in the group paraph:admins administers Paraph")
      .waitFor();
    await card("Just finished").getByText("Change first.yaml").waitFor();
    await card("Needs attention")
      .getByText("No unknown outcome, no freeze, and all adapters answer.")
      .waitFor();
    await card("Not performed").getByRole("link", { name: "Open refused calls" }).waitFor();
    await card("Not performed").getByRole("link", { name: "Open denied calls" }).click();
    await page.getByRole("row", { name: /Refund €3,000\.00 to Eve/ }).waitFor();
    await page.goBack();
    const chart = card("Calls in the last 24 hours");
    await chart.getByText("Show as a table").click();
    // The three calls may have ended in two hours.
    const countOutcomes = async () => {
      const hours = await chart.locator("tbody tr").all();
      const counts = await Promise.all(hours.map((hour) => hour.locator("td").allTextContents()));
      return [0, 1, 2, 3].map((column) => counts.reduce((sum, hour) => sum + Number(hour[column]), 0));
    };
    await expect.poll(countOutcomes).toEqual([1, 2, 0, 0]);
    // The first call was requested before the second, and ended after it.
    const late = await write("late.yaml");
    const early = await write("early.yaml");
    for (const { approval } of [early, late]) await fixture.decide("Bo Nilsen", approval, "deny");
    await expect
      .poll(async () => (await card("Just finished").getByRole("listitem").allTextContents()).slice(0, 2))
      .toEqual([expect.stringContaining("late.yaml"), expect.stringContaining("early.yaml")]);
    await card("Soonest first")
      .getByRole("link", { name: /home\.yaml/ })
      .click();
    await page.getByRole("heading", { level: 1, name: "Change home.yaml" }).waitFor();
    await fixture.decide("Bo Nilsen", waiting.approval, "deny");
  });

  it("[TRUST 12] the owner of an agent sees at home what waits for others, who can approve it, and withdraws it", async () => {
    const { call } = await write("owned.yaml");
    await using opened = await browser.open("/console/", "Ana Lima");
    const { page } = opened;
    const own = page.getByRole("region").filter({ hasText: "Waiting for others" });
    await own.getByText("your agent's request").waitFor();
    await own.getByRole("link", { name: /owned\.yaml/ }).click();
    await page.getByText(/Who can: Bo Nilsen, Dora Lindqvist/).waitFor();
    await page.getByRole("heading", { name: "Why people are asked" }).waitFor();
    await page.getByRole("link", { name: "Open the call" }).click();
    expect(await page.getByLabel("The link to the request").inputValue()).toMatch(
      /\/console\/approvals\/ask_/,
    );
    await page.getByText(/Requested by release-bot, owner Ana Lima, \d\d:\d\d\./).waitFor();
    await page.getByText("Paraph asked for approval").waitFor();
    await page.getByRole("button", { name: "Withdraw…" }).click();
    const sheet = page.getByRole("dialog", { name: "Withdraw this call?" });
    await sheet.getByRole("textbox").fill("Wrong file.");
    expect(await findSeriousViolations(page)).toEqual([]);
    await sheet.getByRole("button", { name: "Withdraw call" }).click();
    await page.getByText(/Ana Lima withdrew the call, \d\d:\d\d\./).waitFor();
    await page.getByRole("blockquote").getByText("Wrong file.").waitFor();
    await sheet.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Withdraw…" }).waitFor({ state: "detached" });
    const { body } = await fixture.paraph.request("Bo Nilsen", "GET", `/v1/calls/${call}`);
    expect(body.outcome).toEqual({ kind: "cancelled", code: "withdrawn" });
  });

  it("only the requester and the owner are offered to withdraw a call", async () => {
    const { call, approval } = await write("foreign.yaml");
    await using opened = await browser.open(`/console/calls/${call}`, "Bo Nilsen");
    const { page } = opened;
    await page.getByRole("region", { name: "Who can approve" }).waitFor();
    expect(await page.getByRole("button", { name: "Withdraw…" }).count()).toBe(0);
    await fixture.decide("Bo Nilsen", approval, "deny");
  });

  it("a phone has the main screens in its tab bar, and the others behind “More”", async () => {
    await using opened = await browser.open("/console/inbox", "Bo Nilsen", {
      viewport: { width: 390, height: 664 },
    });
    const { page } = opened;
    const bar = page.getByRole("navigation", { name: "Main" });
    await expect.poll(() => bar.getByRole("link").allTextContents()).toEqual(["Inbox", "Calls"]);
    await bar.getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Home" }).click();
    await page.getByRole("heading", { level: 1, name: "Nothing waits for you" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  it("[TRUST 16] calls are found by a part of their fact, by id and by filters, and never by a masked value", async () => {
    const { call, approval } = await refund("Zoë =1+1");
    await fixture.decide("Dora Lindqvist", approval, "deny");
    await using opened = await browser.open("/console/calls");
    const { page } = opened;
    const rows = page.locator("tbody tr");
    const box = page.getByRole("searchbox");
    await box.fill("zoë ");
    await page.waitForURL("**/console/calls?q=zo%C3%AB");
    await expect
      .poll(() => rows.allTextContents())
      .toEqual([expect.stringContaining("Refund €3,000.00 to Zoë")]);
    expect(await box.inputValue()).toBe("zoë ");
    await box.fill(call);
    await expect.poll(() => rows.count()).toBe(1);
    await box.fill("pay_Zoë");
    await page.getByText("No call matches").waitFor();
    await box.fill("");
    await page.getByRole("button", { name: "support-bot" }).first().click();
    await page.getByRole("button", { name: "Denied" }).click();
    await expect
      .poll(() => [...new URL(page.url()).searchParams].sort())
      .toEqual([
        ["outcome", "denied"],
        ["principal", "support-bot"],
      ]);
    await expect
      .poll(async () => new Set(await rows.locator("td:nth-child(2)").allTextContents()))
      .toEqual(new Set(["support-bot"]));
    await page.getByRole("combobox", { name: "Period" }).selectOption("Last hour");
    await page.getByRole("button", { name: /^From/ }).waitFor();
    await rows.getByText("Refund €3,000.00 to Zoë =1+1").waitFor();
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Refund €3,000.00 to Zoë =1+1");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: /CSV/ }).click(),
    ]);
    const lines = readFileSync(await download.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(lines[0]).toMatch(/^call,headline,capability/);
    expect(lines[1]).toMatch(
      new RegExp(`^${call},"Refund €3,000.00 to Zoë =1\\+1",shop.refund,1,support-bot,closed,denied`),
    );
    await page.getByRole("button", { name: /^Requester/ }).click();
    await page.waitForURL((url) => !url.searchParams.has("principal"));
  });

  const loseMail = async (to: string) => {
    const asked = await fixture.ask("support-bot", "shop.mail", { to });
    await fixture.decide("Dora Lindqvist", asked.approval, "approve");
    await expect
      .poll(
        async () =>
          (await fixture.paraph.request("support-bot", "GET", `/v1/calls/${asked.call}`)).body.outcome,
      )
      .toMatchObject({ kind: "unknown" });
    return asked;
  };

  it("[P8] an unknown outcome is a question; its answer needs evidence, and a retry is a new call", async () => {
    const [first, second] = [await loseMail("ana@example.org"), await loseMail("bo@example.org")];
    await using opened = await browser.open("/console/");
    const { page } = opened;
    await page.getByRole("link", { name: "Did this happen? Send a mail to ana@example.org" }).waitFor();
    await pressSequence(page, "g", "u");
    const card = (to: string) => page.getByRole("article", { name: `Send a mail to ${to}` });
    const ana = card("ana@example.org");
    await ana.getByText('"to": "ana@example.org"').waitFor();
    await ana.getByRole("button", { name: "Probe the system" }).click();
    await ana.getByText("The system cannot tell whether it happened.").waitFor();
    await ana.getByRole("button", { name: "It happened" }).click({ force: true });
    const resolutionOf = async (call: string) =>
      (await fixture.paraph.request("Bo Nilsen", "GET", `/v1/calls/${call}`)).body.resolution;
    expect(await resolutionOf(first.call)).toBeUndefined();
    await ana.getByRole("textbox").fill("The outbox lists it.");
    await ana.getByRole("button", { name: "It happened" }).click();
    await page.getByText("Recorded: Send a mail to ana@example.org happened.").waitFor();
    expect(await resolutionOf(first.call)).toMatchObject({
      finding: "happened",
      by: "Bo Nilsen",
      reason: "The outbox lists it.",
    });
    await card("bo@example.org").getByRole("textbox").fill("The outbox is empty.");
    await card("bo@example.org").getByRole("button", { name: "It did not happen: try again" }).click();
    await page.getByRole("link", { name: "Open the new call" }).click();
    await page.getByText("Waits for people").waitFor();
    expect(await resolutionOf(second.call)).toMatchObject({ finding: "not-happened" });
    expect(page.url()).not.toContain(second.call);
    const retried = page.url();
    await page.goto(`${fixture.url}/console/calls/${first.call}`);
    await page.getByText("Resolved: happened").waitFor();
    await page.getByText(/It happened\. Bo Nilsen found this out, \d\d:\d\d\./).waitFor();
    await page.getByRole("blockquote").getByText("The outbox lists it.").waitFor();
    await page.goto(`${fixture.url}/console/calls?outcome=unknown`);
    await expect
      .poll(() => page.getByRole("row", { name: /bo@example/ }).textContent())
      .toContain("Resolved: not happened");
    await page.goto(retried);
    const { body } = await fixture.paraph.request(
      "Bo Nilsen",
      "GET",
      page.url().split("/console").join("").replace(fixture.url, "/v1"),
    );
    await fixture.decide("Dora Lindqvist", body.waiting.approval.id, "deny");
  });

  it("[P8] the page of a call asks what happened if its outcome is unknown, and then no longer doubts it", async () => {
    const { call, approval } = await loseMail("cy@example.org");
    await using opened = await browser.open(`/console/approvals/${approval}`);
    const { page } = opened;
    const notice = page.getByRole("status").filter({ hasText: "Approved by Dora Lindqvist" });
    await notice.getByText("Unknown", { exact: true }).waitFor();
    await notice.getByRole("link", { name: "Follow the call" }).click();
    const question = page.getByRole("region", { name: "Did this happen?" });
    await question.getByRole("textbox").fill("The outbox lists it.");
    const doubt = page.getByRole("article").locator("p", { hasText: "An attempt may have acted" }).first();
    await doubt.waitFor();
    expect(await findSeriousViolations(page)).toEqual([]);
    await question.getByRole("button", { name: "It happened" }).click();
    await page.getByText(/It happened\. Bo Nilsen found this out/).waitFor();
    await question.waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe(`/console/calls/${call}`);
    // The timeline keeps what was known then.
    expect(await page.getByText(/An attempt may have acted/).count()).toBe(1);
  });

  it("[TRUST 12] a waiting call shows who can approve it and who was told, and not the owner of the agent", async () => {
    const { call, approval } = await refund("Ida");
    await using opened = await browser.open(`/console/calls/${call}`);
    const { page } = opened;
    const people = page.getByRole("region", { name: "Who can approve" });
    await people.getByText("Dora Lindqvist").waitFor();
    await expect.poll(() => people.getByRole("listitem").allTextContents()).toHaveLength(2);
    await expect.poll(() => people.textContent()).toMatch(/Needs 1 approval, until .*Bo Nilsen\s*\(you\)/);
    expect(await people.textContent()).not.toContain("Ana Lima");
    const told = page.getByRole("region", { name: "Who was told" });
    await told.getByText(/by mail: sent \d\d:\d\d/).waitFor();
    await expect.poll(() => told.textContent()).toContain("Dora Lindqvist");
    expect(await findSeriousViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 568 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await fixture.decide("Dora Lindqvist", approval, "deny");
    await people.waitFor({ state: "detached" });
    await told.waitFor();
  });

  it("[TRUST 6] a denied call shows who denied it, when and why, as that person's words", async () => {
    const { call, approval } = await refund("Max");
    await fixture.decide("Dora Lindqvist", approval, "deny", "The lamp came back\nbroken.");
    await using opened = await browser.open(`/console/calls/${call}`);
    const { page } = opened;
    await page.getByText(/Dora Lindqvist denied, \d\d:\d\d\./).waitFor();
    await expect.poll(() => page.getByRole("blockquote").textContent()).toBe("The lamp came back\nbroken.");
    expect(await page.getByRole("link", { name: "Undo…" }).count()).toBe(0);
    expect(await findSeriousViolations(page)).toEqual([]);
  });

  it("[P13] a call is undone from its page: the undo is previewed first, and is a call of the person", async () => {
    const { call, approval } = await write("undone.yaml");
    await fixture.decide("Bo Nilsen", approval, "approve");
    await using opened = await browser.open(`/console/calls/${call}`, "Bo Nilsen", {
      viewport: { width: 390, height: 664 },
    });
    const { page } = opened;
    await page.getByRole("link", { name: "Undo…" }).click();
    await page.getByRole("heading", { level: 1, name: "Undo: Change undone.yaml" }).waitFor();
    const changes = page.getByRole("region", { name: "What would change" });
    await changes.getByText("+retries: 3").waitFor();
    const calls = async () =>
      (
        await fixture.paraph.request(
          "Bo Nilsen",
          "GET",
          "/v1/calls?principal=Bo%20Nilsen&capability=shop.write",
        )
      ).body.calls;
    expect(await calls()).toEqual([]);
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await page.getByLabel(/Why is it needed/).fill("Too many retries.");
    await page.getByRole("button", { name: "Undo it now" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith("/undo"));
    const [undo] = await calls();
    expect(page.url()).toContain(`/console/calls/${undo.call}`);
    await page.goto(`${fixture.url}/console/calls/${call}`);
    await page.getByText("Undo requested by Bo Nilsen").waitFor();
    expect(await page.getByRole("link", { name: "Undo…" }).count()).toBe(0);
    await page.getByRole("link", { name: "Open the undo" }).click();
    await page.waitForURL(`**/console/calls/${undo.call}`);
    await page.getByText("Reason given by Bo Nilsen (not verified):").waitFor();
    await page.getByRole("blockquote").getByText("Too many retries.").waitFor();
    await page.getByRole("link", { name: "Change undone.yaml", exact: true }).click();
    await page.waitForURL(`**/console/calls/${call}`);
    await page.goto(`${fixture.url}/console/calls?q=${call}`);
    await page.getByText("Undone", { exact: true }).filter({ visible: true }).waitFor();
  });

  it("statistics say how busy each requester is, how its calls ended, after which time and at what cost", async () => {
    await using opened = await browser.open("/console/", "Ana Lima");
    const { page } = opened;
    await page.getByText("An unknown outcome stays counted").waitFor();
    await pressSequence(page, "g", "s");
    const row = (name: string) =>
      page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    await row("support-bot").waitFor();
    const heads = await page.getByRole("columnheader").allTextContents();
    expect(heads).toContain("Mean time to the end");
    const column = (name: string) => heads.indexOf(name) - 1;
    const { body } = await fixture.paraph.request(
      "Ana Lima",
      "GET",
      "/v1/statistics?by=principal&principal=support-bot",
    );
    const [known] = body.statistics;
    const cells = await row("support-bot").getByRole("cell").allTextContents();
    expect(cells[column("Ended")]).toBe(String(known.calls));
    expect(cells[column("Unknown")]).toBe(String(known.outcomes.unknown));
    expect(cells[column("Cost")]).toBe(String(known.spent));
    await page.getByRole("button", { name: "By capability" }).click();
    await row("shop.mail").waitFor();
    await page.getByRole("button", { name: "24 hours" }).click();
    await page.waitForURL("**/console/statistics?by=capability&period=day");
    for (const width of [1440, 320]) {
      await page.setViewportSize({ width, height: 568 });
      await row("shop.mail").waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(await findSeriousViolations(page)).toEqual([]);
    }
    await page.getByRole("link", { name: "shop.mail" }).click();
    await page.waitForURL("**/console/calls?capability=shop.mail");
  });

  it.each([
    ["light", [1440, 768]],
    ["dark", [320, 390]],
  ] as const)(
    "axe finds no serious violation and nothing overflows: %s, %j px",
    async (colorScheme, widths) => {
      const viewport = { width: widths[0], height: 568 };
      await loseMail(`${colorScheme}@example.org`);
      await using opened = await browser.open("/console/inbox", "Ana Lima", { viewport, colorScheme });
      const { page } = opened;
      for (const [path, text] of [
        ["/", "Just finished"],
        ["/calls?q=refund&principal=support-bot&since=2026-01-01T00:00:00Z", "Refund €3,000.00 to Eve"],
      ] as const) {
        await page.goto(`${fixture.url}/console${path}`);
        await page.getByText(text).filter({ visible: true }).first().waitFor();
        expect(await findSeriousViolations(page), path).toEqual([]);
        for (const width of [widths[1], widths[0]]) {
          await page.setViewportSize({ ...viewport, width });
          expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), path).toBe(0);
        }
      }
    },
  );
});
