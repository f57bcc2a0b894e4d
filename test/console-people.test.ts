// Tests the screens of the console for agents and people, and its kill switch.
import { roles } from "@paraph/core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { provision } from "../packages/server/src/postgres/index.ts";
import { hasBrowser } from "./support/web/browser.ts";
import { ConsoleBrowser, findSeriousViolations } from "./support/web/console-browser.ts";
import type { ConsoleFixture } from "./support/web/console-fixture.ts";

/** A name that reorders its surroundings, looks like markup and like a path. */
const hostile = "<img src=x onerror=alert(1)>\u202Egnp/../%2e?#";
const shownHostile = "<img src=x onerror=alert(1)><U+202E>gnp/../%2e?#";

describe.runIf(hasBrowser)("the console, for agents and people", () => {
  let browser: ConsoleBrowser;
  let fixture: ConsoleFixture;
  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
    fixture = browser.fixture;
    await provision(fixture.paraph.database.ownerUrl, async (p) => {
      await p.addPrincipal({ tenant: "acme", id: hostile, kind: "agent", owner: "Ana Lima" });
      await p.addPrincipal({ tenant: "acme", id: "eve", kind: "person", groups: ["support"] });
    });
  });
  afterAll(() => browser?.stop());
  afterEach(() => {
    expect(browser.complaints.splice(0)).toEqual([]);
  });

  const request = async (as: string, path: string) =>
    (await fixture.paraph.request(as, "GET", `/v1${path}`)).body;
  const approve = async (call: string) => {
    const { waiting } = await request("Bo Nilsen", `/calls/${call}`);
    await fixture.decide("Bo Nilsen", waiting.approval.id, "approve");
  };
  const dialog = (page: Page) => page.getByRole("dialog");
  /** Requests what the sheet previews, and returns the id of the call. */
  const send = async (page: Page, button: string) => {
    const sent = page.waitForResponse(
      (response) => response.url().endsWith("/v1/calls") && response.request().method() === "POST",
    );
    await dialog(page).getByRole("button", { name: button, exact: true }).click();
    return String((await (await sent).json()).call);
  };
  const succeeded = (page: Page) => dialog(page).getByText("Succeeded", { exact: true }).waitFor();
  const close = (page: Page) => dialog(page).getByRole("button", { name: "Close", exact: true }).click();

  it("lists who acts with calls, success, state and last use; search and filters are in the address", async () => {
    const refund = await fixture.ask("support-bot", "shop.refund", { payment: "p", cents: 1, to: "Lena" });
    await fixture.decide("Dora Lindqvist", refund.approval, "approve");
    await expect
      .poll(async () => (await request("support-bot", `/calls/${refund.call}`)).outcome?.kind)
      .toBe("succeeded");
    await using opened = await browser.open("/console/people", "Dora Lindqvist");
    const { page } = opened;
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("support-bot").getByText("100 %", { exact: true }).waitFor();
    expect(await row("support-bot").getByRole("cell").allTextContents()).toEqual([
      expect.stringMatching(/^support-botOwner Ana Lima/),
      "Agent",
      "1",
      "100 %",
      "Active",
      expect.stringMatching(/^just now$|^\d+ (s|min) ago$/),
    ]);
    await row("Dora Lindqvist").getByText("Administrator").waitFor();
    expect(await row("Bo Nilsen").getByText("Administrator").count()).toBe(0);
    await row(shownHostile).getByText("Never", { exact: true }).waitFor();
    expect(await findSeriousViolations(page)).toEqual([]);
    await page.getByRole("searchbox").fill("BOT");
    await page.waitForURL("**/console/people?q=BOT");
    await page.getByRole("button", { name: "Frozen" }).click();
    await page.getByText("No match").waitFor();
    await page.getByRole("button", { name: "Frozen" }).click();
    await page.getByRole("button", { name: "Agents", exact: true }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(3);
    await expect.poll(() => new URL(page.url()).search).toBe("?q=BOT&kind=agent");
    await page.goto(`${fixture.url}/console/people`);
    await page.getByRole("link", { name: "onerror" }).click();
    await page.getByRole("heading", { level: 1 }).getByText(shownHostile).waitFor();
    await page.getByText("No call has ended in this time.").waitFor();
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(`/console/people/${hostile}`);
    await page.getByRole("button", { name: "Freeze…" }).click();
    await dialog(page).getByText("Stops 1 agent, holds 0 open calls, nothing is running.").waitFor();
    await expect.poll(() => dialog(page).textContent()).toContain(shownHostile);
    const mail = await fixture.ask("support-bot", "shop.mail", { to: "ana@example.org" });
    await fixture.decide("Dora Lindqvist", mail.approval, "approve");
    await expect
      .poll(async () => (await request("support-bot", `/calls/${mail.call}`)).outcome?.kind)
      .toBe("unknown");
    await page.goto(`${fixture.url}/console/people/support-bot`);
    await page.getByText("2 of 1,000").waitFor();
    const activity = page.getByRole("region", { name: "Calls that ended in the last 30 days" });
    await activity.locator("dd").first().waitFor();
    const [ended, ...parts] = (await activity.locator("dd").allTextContents()).map(Number);
    expect([ended, parts.reduce((sum, part) => sum + part, 0)]).toEqual([2, 2]);
    await page.getByRole("cell", { name: "shop.refund" }).waitFor();
    expect(await page.locator("img").count()).toBe(0);
    const access = page.getByRole("region", { name: "Access" });
    await access.getByText("Does not approve, and does not administer Paraph.").waitFor();
    await page.goto(`${fixture.url}/console/people/${encodeURIComponent("Dora Lindqvist")}`);
    await access.getByText(/^Administers Paraph\./).waitFor();
    await page.goto(`${fixture.url}/console/people/${encodeURIComponent("Bo Nilsen")}`);
    await access.getByText(/^Approves requests of other people/).waitFor();
    expect(await access.getByText(/^Administers Paraph\./).count()).toBe(0);
    await access.getByRole("link", { name: "What if…" }).click();
    await expect.poll(() => page.getByLabel("Requester").inputValue()).toBe("Bo Nilsen");
  });

  it("[P3] [TRUST 21] a new key is previewed, requested and shown once; it works after the approval, until it is revoked", async () => {
    await using opened = await browser.open("/console/people/release-bot", "Dora Lindqvist");
    const { page } = opened;
    await page.getByRole("button", { name: "Issue key…" }).click();
    await dialog(page).getByLabel("Label").fill("deploys");
    await dialog(page).getByLabel("Access").selectOption("some");
    // Policy lets no agent approve or administer, so a key of an agent offers neither.
    expect(await dialog(page).getByRole("checkbox").count()).toBe(2);
    await dialog(page).getByLabel("Only capabilities that match").fill("shop.*");
    await dialog(page).getByRole("button", { name: "Preview" }).click();
    await dialog(page).getByText('authenticates its holder as the agent "release-bot"').waitFor();
    await dialog(page).getByText("It waits for approval.").waitFor();
    expect(await findSeriousViolations(page)).toEqual([]);
    expect((await request("Dora Lindqvist", "/calls?capability=admin.key_create")).calls).toEqual([]);
    await dialog(page)
      .getByLabel(/Why is it needed/)
      .fill("For the pipeline.");
    const call = await send(page, "Request approval");
    await dialog(page).getByText("Create an API key for release-bot").waitFor();
    const key = await dialog(page).getByLabel("The key").inputValue();
    expect(key).toMatch(/^paraph_acme_[a-z0-9]{8}_/);
    const stored = await request("Dora Lindqvist", `/calls/${call}`);
    expect(stored).toMatchObject({ state: "asking", purpose: { text: "For the pipeline." } });
    expect(JSON.stringify(stored)).not.toContain(key.split("_").at(-1));
    const tryKey = () =>
      fetch(`${fixture.url}/v1/calls`, { headers: { authorization: `Bearer ${key}` } }).then(
        (response) => response.status,
      );
    expect(await tryKey()).toBe(401);
    // Neither a press beside the sheet nor Escape loses the key.
    await page.keyboard.press("Escape");
    await approve(call);
    await succeeded(page);
    expect(await dialog(page).getByRole("link", { name: "Open the call" }).getAttribute("href")).toBe(
      `/console/calls/${call}`,
    );
    await dialog(page).getByRole("button", { name: "I have saved it" }).click();
    await page.getByText("deploys").waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await tryKey()).toBe(200);
    await expect
      .poll(async () => (await request("Dora Lindqvist", "/principals/release-bot")).lastUsed)
      .toBeDefined();
    const id = key.split("_")[2];
    await page.getByRole("button", { name: `Revoke key ${id}…` }).click();
    await dialog(page).getByText("It takes effect at once.").waitFor();
    await send(page, "Revoke key");
    await succeeded(page);
    await close(page);
    await page.getByText(/, revoked /).waitFor();
    await expect.poll(tryKey).toBe(401);
  });

  it("invites, changes groups, ends sessions, disables and enables, each as a call of its own", async () => {
    await using opened = await browser.open("/console/people", "Dora Lindqvist");
    const { page } = opened;
    await page.getByRole("button", { name: "Invite…" }).click();
    await dialog(page).getByLabel("Id of the person").fill("zoe");
    await dialog(page).getByRole("button", { name: "Preview" }).click();
    await dialog(page).getByText("New person.").waitFor();
    const invitation = await send(page, "Request approval");
    const link = await dialog(page).getByLabel("The login link").inputValue();
    await approve(invitation);
    await succeeded(page);
    await dialog(page).getByRole("button", { name: "I have saved it" }).click();
    const zoe = page.getByRole("row").filter({ has: page.getByRole("link", { name: "zoe" }) });
    await zoe.getByText("Invited").filter({ visible: true }).waitFor();
    await using visitor = await browser.openAsVisitor(link);
    await visitor.page.getByText("zoe").first().waitFor();

    await page.goto(`${fixture.url}/console/people/eve`);
    await page.getByRole("button", { name: "Add to group…" }).click();
    await dialog(page).getByLabel("Group").fill("finance");
    await dialog(page).getByRole("button", { name: "Preview" }).click();
    await dialog(page).getByText('"eve" would join').waitFor();
    await approve(await send(page, "Request approval"));
    await succeeded(page);
    await close(page);
    await page.getByRole("button", { name: "Remove from finance…" }).click();
    await dialog(page).getByText('"eve" would leave').waitFor();
    await approve(await send(page, "Request approval"));
    await succeeded(page);
    await close(page);
    await expect.poll(() => page.getByRole("button", { name: /Remove from/ }).count()).toBe(1);

    await fixture.paraph.browser("acme", "eve");
    await page.reload();
    await page.getByRole("button", { name: "End sessions…" }).click();
    await dialog(page).getByText("1 session end.").waitFor();
    await send(page, "End sessions");
    await succeeded(page);
    await close(page);
    await page.getByText("Not logged in.").waitFor();

    for (const [button, state] of [
      ["Disable…", "Disabled"],
      ["Enable…", "Active"],
    ] as const) {
      await page.getByRole("button", { name: button }).click();
      await approve(await send(page, "Request approval"));
      await succeeded(page);
      await close(page);
      await page.getByText(state, { exact: true }).waitFor();
      // The freeze of a disabled person is no emergency.
      expect(await page.getByRole("region", { name: "Freezes" }).count()).toBe(0);
    }
    expect((await request("Dora Lindqvist", "/freezes")).freezes).toEqual([]);
  });

  it("[TRUST 25] freezes by keyboard after a typed name, shows it on every screen, and thaws after a second person's approval", async () => {
    const waiting = await fixture.ask("support-bot", "shop.refund", { payment: "p", cents: 2, to: "Ivo" });
    await using opened = await browser.open("/console/people", "Dora Lindqvist");
    const { page } = opened;
    const { principals } = await request("Dora Lindqvist", "/principals?limit=100");
    const agents = principals.filter(({ kind }: { kind: string }) => kind !== "person").length;
    const button = page.getByRole("button", { name: "Freeze actions" });
    await button.waitFor();
    await button.focus();
    await page.keyboard.press("Enter");
    const kind = dialog(page).getByLabel("What to freeze");
    expect(await kind.inputValue()).toBe("");
    await kind.selectOption("tenant");
    await dialog(page).getByText(`Stops ${agents} agents, holds 1 open call, nothing is running.`).waitFor();
    expect(await findSeriousViolations(page)).toEqual([]);
    const freeze = dialog(page).getByRole("button", { name: "Freeze", exact: true });
    expect(await freeze.getAttribute("aria-disabled")).toBe("true");
    await dialog(page).getByLabel("Type acme to freeze").focus();
    await dialog(page).getByLabel("Reason").fill("It repeats itself.");
    await dialog(page).getByLabel("Type acme to freeze").focus();
    await page.keyboard.type("acm");
    await page.keyboard.press("Enter");
    expect((await request("Dora Lindqvist", "/freezes")).freezes).toEqual([]);
    await page.keyboard.type("e");
    await page.keyboard.press("Enter");
    await succeeded(page);
    const { calls } = await request("Dora Lindqvist", "/calls?capability=admin.freeze&limit=1");
    const frozen = await request("Dora Lindqvist", `/calls/${calls[0].call}`);
    expect(frozen.input).toMatchObject({ reason: "It repeats itself." });
    await page.keyboard.press("Escape");
    const strip = page.getByRole("region", { name: "Freezes" });
    await strip.getByText("Everything is frozen.").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.title")).toBe("Freeze actions");
    const refused = await fixture.paraph.request("release-bot", "POST", "/v1/calls", {
      capability: "shop.run",
      input: { command: "ls" },
    });
    expect(refused.body.code).toBe("frozen");
    for (const path of ["/", "/inbox", "/calls", `/approvals/${waiting.approval}`, "/policies"]) {
      await page.goto(`${fixture.url}/console${path}`);
      await strip.getByText("Everything is frozen.").waitFor();
    }
    expect(await findSeriousViolations(page)).toEqual([]);
    await strip.getByRole("button", { name: "Details…" }).click();
    await dialog(page)
      .getByRole("listitem")
      .getByText(/^Refund €0\.02 to Ivo$/)
      .waitFor();
    await dialog(page).getByRole("button", { name: "Thaw acme…" }).click();
    await dialog(page)
      .getByText(/It holds 1 open call\.$/)
      .waitFor();
    await fixture.decide("Dora Lindqvist", waiting.approval, "approve");
    await dialog(page).getByText("It holds 1 open call. 1 was stopped and continues at once.").waitFor();
    const thaw = await send(page, "Request approval");
    // The sheet hides the rest of the page from assistive technology, but not from the eyes.
    await page.getByText("Everything is frozen.").waitFor();
    await close(page);
    await strip.getByText("A thaw is requested.").waitFor();
    await strip.getByRole("button", { name: "Details…" }).click();
    await dialog(page).getByRole("link", { name: "A thaw is requested" }).waitFor();
    expect(await dialog(page).getByRole("button", { name: "Thaw acme…" }).count()).toBe(0);
    await close(page);
    await approve(thaw);
    await strip.waitFor({ state: "detached" });
    await expect
      .poll(async () => (await request("support-bot", `/calls/${waiting.call}`)).outcome?.kind)
      .toBe("succeeded");
  });

  it("shows a requested key on the page of its principal until the request has ended", async () => {
    const input = { principal: "ops-bot", keyId: "abcd1234", hash: "0".repeat(64) };
    const requested = await fixture.ask("Dora Lindqvist", "admin.key_create", input);
    await using opened = await browser.open("/console/people/release-bot", "Dora Lindqvist");
    const { page } = opened;
    const link = page.getByRole("link", { name: "A key is requested" });
    await page.getByRole("region", { name: "API keys" }).getByText("Used ").first().waitFor();
    expect(await link.count()).toBe(0);
    await page.goto(`${fixture.url}/console/people/ops-bot`);
    expect(await link.getAttribute("href")).toBe(`/console/calls/${requested.call}`);
    await fixture.decide("Ana Lima", requested.approval, "deny");
    await link.waitFor({ state: "detached" });
  });

  it("leads from a frozen agent to the calls that the freeze holds", async () => {
    const held = await fixture.ask("support-bot", "shop.refund", { payment: "p", cents: 3, to: "Uli" });
    const { body } = await fixture.paraph.request("Dora Lindqvist", "POST", "/v1/calls", {
      capability: "admin.freeze",
      input: { kind: "principal", subject: "support-bot" },
    });
    const { freezes } = await request("Dora Lindqvist", "/freezes");
    expect(body.headline).toBe("Freeze support-bot");
    await using opened = await browser.open("/console/people/support-bot", "Dora Lindqvist");
    const { page } = opened;
    for (const path of ["/people/support-bot", "/"]) {
      await page.goto(`${fixture.url}/console${path}`);
      await page
        .locator("#main")
        .getByRole("link", { name: /^(Show the calls that it holds|support-bot is frozen)$/ })
        .click();
      await page.getByRole("link", { name: "Refund €0.03 to Uli" }).waitFor();
      await page.getByRole("button", { name: /^Held by\s*a freeze/ }).waitFor();
    }
    await fixture.decide("Bo Nilsen", held.approval, "deny");
    const thaw = await fixture.ask("Dora Lindqvist", "admin.thaw", { freeze: freezes[0].freeze });
    await fixture.decide("Ana Lima", thaw.approval, "approve");
    await expect.poll(async () => (await request("Dora Lindqvist", "/freezes")).freezes).toEqual([]);
  });

  it.each([
    ["dark", 320],
    ["light", 390],
  ] as const)(
    "axe finds no serious violation and nothing overflows: %s, %i px",
    async (colorScheme, width) => {
      const viewport = { width, height: 664 };
      await using opened = await browser.open("/console/people", "Ana Lima", { viewport, colorScheme });
      const { page } = opened;
      for (const [path, text] of [
        ["/people?q=o&state=active&kind=agent", "Owner Ana Lima"],
        ["/people/support-bot", "shop calls"],
        [`/people/${encodeURIComponent(hostile)}`, "No keys."],
        ["/people/eve", "No delegate."],
      ] as const) {
        await page.goto(`${fixture.url}/console${path}`);
        await page.getByText(text).filter({ visible: true }).first().waitFor();
        expect(await findSeriousViolations(page), path).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), path).toBe(0);
      }
      await page.getByRole("button", { name: "More" }).click();
      await dialog(page).getByRole("button", { name: "Freeze actions" }).click();
      const sheet = page.getByRole("dialog", { name: "Freeze actions" });
      await sheet.getByLabel("What to freeze").selectOption("principal");
      await sheet.getByLabel(/^Id of the agent/).fill("ort");
      await sheet.getByRole("list", { name: "Suggestions" }).waitFor();
      expect(await sheet.getByRole("alert").count()).toBe(0);
      await sheet.getByRole("button", { name: "support-bot", exact: true }).click();
      await sheet.getByText(/^Stops 1 agent,/).waitFor();
      await sheet.getByLabel(/^Id of the agent/).fill("ghost");
      await sheet.getByText("There is no principal ghost here.").waitFor();
      expect(await findSeriousViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    },
  );

  it("[TRUST 25] a person without the role reads neither the list nor the form of a freeze", async () => {
    await using opened = await browser.open("/console/people", "Bo Nilsen");
    const { page } = opened;
    await page.getByText(/Only members of paraph:admins/).waitFor();
    await page.getByRole("button", { name: "Freeze actions" }).click();
    await dialog(page).getByText(`Only members of ${roles.admins} can freeze.`).waitFor();
    // The browser reports the refused request.
    expect(browser.complaints.splice(0).filter((text) => !text.includes("status of 403"))).toEqual([]);
  });
});
