// Tests the screens of the console with which people govern: plans and policies.
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "./support/web/browser.ts";
import { ConsoleBrowser, findSeriousViolations } from "./support/web/console-browser.ts";

describe.runIf(hasBrowser)("the console, for people who govern", () => {
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
  });
  afterAll(() => browser?.stop());
  afterEach(() => {
    expect(browser.complaints.splice(0)).toEqual([]);
  });

  describe("plans", () => {
    const readStep = { id: "sum", capability: "shop.checksum", input: { path: "VERSION" } };
    const release = [
      writeStep("web"),
      readStep,
      writeStep("note", { $from: "sum", path: "/sha" }),
      { id: "pay", capability: "shop.refund", input: { payment: "pay_1", cents: 1_200, to: "Ivo Brandt" } },
      writeStep("jobs"),
    ];
    const approve = (page: Page) => page.getByRole("button", { name: /^Approve \d/ });

    it("[P13] an approver leaves out steps of a plan; the steps that need them are named and do not run", async () => {
      const { call, approval } = await browser.fixture.askPlan("release-bot", release);
      await using opened = await browser.open(`/console/approvals/${approval}`);
      const { page } = opened;
      const fact = page.getByRole("heading", { level: 1 });
      await expect.poll(() => fact.textContent()).toBe("Refund €12.00 to Ivo Brandt and 4 more steps");
      await page.getByLabel("Approve step 2").uncheck();
      await page.getByText("2 steps left out: 2, and 3, which needs it.").waitFor();
      await page.getByText("skipped: needs step 2").waitFor();
      await page.getByRole("button", { name: "Left out 2" }).click();
      await expect.poll(() => new URL(page.url()).search).toBe("?steps=out");
      await expect
        .poll(() =>
          page
            .getByLabel(/Approve step/)
            .filter({ visible: true })
            .count(),
        )
        .toBe(2);
      await page.getByRole("button", { name: "All 5" }).click();
      await page.getByText("after: refunded").scrollIntoViewIfNeeded();
      await expect.poll(() => approve(page).textContent()).toBe("Approve 3 of 5 steps…");
      await expect.poll(() => approve(page).getAttribute("aria-disabled")).toBe("false");
      await approve(page).click();
      const sheet = page.getByRole("dialog");
      await expect
        .poll(() => sheet.textContent())
        .toContain("3 of 5 steps. 2 steps left out: 2, and 3, which needs it.");
      const sent = page.waitForRequest((request) => request.method() === "POST");
      await sheet.getByRole("button", { name: "Approve" }).click();
      expect((await sent).postDataJSON()).toMatchObject({ decision: "approve", declined: ["sum"] });
      await page.getByText(/Approved by you/).waitFor();
      await page.goto(`${browser.fixture.url}/console/plans/${call}`);
      await page.getByText("3 of 4 steps have ended").waitFor();
      const statuses = page.locator("summary").getByText(/^(Succeeded|Left out|Skipped)$/);
      await expect
        .poll(() => statuses.allTextContents())
        .toEqual(["Succeeded", "Left out", "Skipped", "Succeeded", "Succeeded"]);
      expect(await findSeriousViolations(page)).toEqual([]);
      await page.getByRole("link", { name: "Undo…" }).click();
      await page.getByRole("heading", { level: 1, name: /^Undo: / }).waitFor();
      await page.getByRole("region", { name: "What would change" }).waitFor();
      await page.getByRole("form", { name: "Request the call" }).getByRole("button").click();
      await page.waitForURL(
        (url) => url.pathname.startsWith("/console/plans/") && !url.pathname.endsWith(call),
      );
      await page.getByText("Requested by Bo Nilsen").waitFor();
    });

    it("[TRUST 6] a step of high risk that a filter hides, or that was never on the screen, locks the approval", async () => {
      const steps = Array.from({ length: 130 }, (_, index) => writeStep(`s${index}`));
      const { call, approval } = await browser.fixture.askPlan("release-bot", [...steps, release[3]!]);
      await using opened = await browser.open(`/console/approvals/${approval}?steps=later`, "Bo Nilsen", {
        viewport: { width: 320, height: 568 },
      });
      const { page } = opened;
      await page.getByText("Read everything that will change").waitFor();
      expect(await approve(page).getAttribute("aria-disabled")).toBe("true");
      await page.getByRole("button", { name: "All 131" }).click();
      await page.getByText("Read everything that will change").waitFor();
      await page.getByRole("button", { name: "High risk 1" }).click();
      await page.getByText("after: refunded").scrollIntoViewIfNeeded();
      await expect.poll(() => approve(page).getAttribute("aria-disabled")).toBe("false");
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(await findSeriousViolations(page)).toEqual([]);
      await page.goto(`${browser.fixture.url}/console/plans?state=open`);
      await page
        .getByRole("link", { name: /release-bot/ })
        .first()
        .click();
      await page.getByText("0 of 131 steps have ended").waitFor();
      expect(page.url()).toContain(call);
      await browser.fixture.decide("Bo Nilsen", approval, "deny");
      await page.getByText("Denied", { exact: true }).waitFor();
    });
  });

  describe("policies", () => {
    const noRuns = '@id("no-runs")\nforbid (principal, action == Action::"shop.run", resource);\n';
    const edit = async (page: Page, text: string) => {
      await page.getByRole("textbox", { name: /Text of/ }).fill(text);
      await page.getByRole("button", { name: "Run the backtest" }).click();
    };

    it("shows the set in force with its source, version and text, to auditors only", async () => {
      await using opened = await browser.open("/console/policies", "Dora Lindqvist");
      const { page } = opened;
      await page.getByText("The server's configuration").waitFor();
      expect(await page.getByRole("link", { name: "Change the rules" }).getAttribute("href")).toBe(
        "/console/policies/backtest",
      );
      await page.getByRole("link", { name: /high-risk-needs-a-person/ }).click();
      const search = () => new URL(page.url()).searchParams;
      await expect.poll(() => search().get("file")).toBe("presets/balanced.cedar");
      await page.locator(`#line-${Number(search().get("line"))}`).waitFor();
      expect(await findSeriousViolations(page)).toEqual([]);
      {
        await using other = await browser.open("/console/policies");
        await other.page.getByText(/Only members of paraph:admins/).waitFor();
      }
      // The browser reports the refused request, at the latest when the page closes.
      expect(browser.complaints.splice(0).filter((text) => !text.includes("status of 403"))).toEqual([]);
    });

    it("answers how policy would rule on a request, without its preview and without a call", async () => {
      await using opened = await browser.open("/console/policies/what-if", "Dora Lindqvist");
      const { page } = opened;
      await page.getByLabel("Requester").fill("support-bot");
      await page.getByLabel("Capability").fill("shop.refund");
      await page.getByLabel("Input as JSON").fill('{ "payment": "pay_7", "cents": 500, "to": "Mia');
      await page.getByText("This is not JSON.").waitFor();
      await page.getByLabel("Input as JSON").fill('{ "payment": "pay_7", "cents": 500, "to": "Mia Voss" }');
      await page.getByRole("button", { name: "Get the ruling" }).click();
      await page.getByRole("heading", { name: "Paraph would ask people first" }).waitFor();
      await page.getByText("high-risk-needs-a-person").waitFor();
      expect(await page.locator("#main").textContent()).not.toContain("Card ending");
      await expect
        .poll(() => new URL(page.url()).search)
        .toBe("?principal=support-bot&capability=shop.refund");
      expect(await findSeriousViolations(page)).toEqual([]);
      const calls = await browser.fixture.paraph.request(
        "Dora Lindqvist",
        "GET",
        "/v1/calls?principal=support-bot",
      );
      expect(JSON.stringify(calls.body)).not.toContain("Mia Voss");
    });

    it("names the faults of a candidate with file and line, backtests it, and requests its publication", async () => {
      const denied = await browser.fixture.ask("support-bot", "shop.refund", {
        payment: "p",
        cents: 1,
        to: "Lena",
      });
      await browser.fixture.decide("Bo Nilsen", denied.approval, "deny");
      const large = await browser.fixture.ask("support-bot", "shop.refund", {
        payment: "p",
        cents: 100,
        to: "Lena",
      });
      const run = await browser.fixture.ask("release-bot", "shop.run", { command: "npm publish" });
      await using opened = await browser.open("/console/policies/backtest", "Dora Lindqvist");
      const { page } = opened;
      await edit(page, noRuns.replace("shop.run", "shop.nothing"));
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText(/^policies\/new\.cedar:\d$/).waitFor();
      expect(browser.complaints.splice(0)).toEqual([expect.stringContaining("422")]);
      await edit(page, noRuns);
      await page.getByRole("heading", { name: /1 of \d+ calls would be ruled differently/ }).waitFor();
      await page.getByRole("link", { name: /Run a command.*Tighter/ }).waitFor();
      await page.getByRole("button", { name: "Discard" }).click();
      await page.getByRole("button", { name: "Ask two people above an amount" }).click();
      const text = page.getByRole("textbox", { name: /Text of/ });
      const example = await text.inputValue();
      const twoPeople = example
        .replaceAll("ADAPTER.CAPABILITY", "shop.refund")
        .replace("AMOUNT > 100000", "cents > 99");
      await edit(page, twoPeople);
      await page.getByRole("cell", { name: "Ask, with other approvals" }).waitFor();
      await page.getByText("Ask for 1 approval").first().waitFor();
      await page.getByText("Ask for 2 approvals").first().waitFor();
      await edit(page, noRuns);
      await page.getByRole("heading", { name: /1 of \d+ calls would be ruled differently/ }).waitFor();
      await page.getByRole("button", { name: "Show changes" }).click();
      await page.getByLabel("Changes against the set in force").getByText("no-runs").waitFor();
      expect(await findSeriousViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 568 });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await page.getByRole("button", { name: "Request publication…" }).click();
      await page.getByLabel("Why is it needed?").fill("Only people publish packages.");
      await page.getByRole("dialog").getByRole("button", { name: "Request publication" }).click();
      await page.getByRole("heading", { level: 1, name: "Change policy: policies/new.cedar" }).waitFor();
      const id = new URL(page.url()).pathname.split("/").at(-1);
      const { body } = await browser.fixture.paraph.request("Dora Lindqvist", "GET", `/v1/calls/${id}`);
      expect([body.capability, body.state, body.waiting.for]).toEqual([
        "admin.policy_publish",
        "asking",
        "approval",
      ]);
      const { body: policy } = await browser.fixture.paraph.request("Dora Lindqvist", "GET", "/v1/policy");
      expect(policy.source).toBe("configuration");
      await page.goto(`${browser.fixture.url}/console/policies`);
      const pending = page.getByRole("status").filter({ hasText: "not in force yet" });
      await pending.getByRole("link", { name: "Change policy: policies/new.cedar" }).waitFor();
      expect(await findSeriousViolations(page)).toEqual([]);
      await browser.fixture.decide("Bo Nilsen", body.waiting.approval.id, "deny");
      await pending.waitFor({ state: "detached" });
      for (const { approval } of [run, large]) await browser.fixture.decide("Bo Nilsen", approval, "deny");
      const input = { sources: [{ file: "policies/own.cedar", text: noRuns }] };
      const published = await browser.fixture.ask("Dora Lindqvist", "admin.policy_publish", input);
      await browser.fixture.decide("Ana Lima", published.approval, "approve");
      await page.goto(`${browser.fixture.url}/console/policies`);
      const origin = page.locator("dl").first();
      await origin.getByRole("link", { name: "Change policy: policies/own.cedar" }).waitFor();
      expect(await origin.textContent()).toContain("by Dora Lindqvist, ");
    });
  });
});

/** A step that changes a file. */
function writeStep(id: string, text: unknown = "retries: 5") {
  return { id, capability: "shop.write", input: { path: `deploy/${id}.yaml`, text } };
}
