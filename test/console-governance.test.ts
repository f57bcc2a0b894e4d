// Tests the screens of the console with which people govern and prove: receipts, plans, policies and capabilities.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestReceipt } from "../packages/cli/src/testing/test-receipt.ts";
import {
  brokenStories,
  createSampleReceipt,
  malformedReceipts,
} from "../packages/core/src/testing/receipt-samples.ts";
import { createTestSigner } from "../packages/core/src/testing/test-signer.ts";
import { SoftAuthenticator } from "./support/soft-authenticator.ts";
import { hasBrowser } from "./support/web/browser.ts";
import { ConsoleBrowser, findSeriousViolations } from "./support/web/console-browser.ts";

const verifyFile = new URL("../packages/server/console/verify.html", import.meta.url);

describe.runIf(hasBrowser)("the console, for people who govern", () => {
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
  });
  afterAll(() => browser?.stop());
  afterEach(() => {
    expect(browser.complaints.splice(0)).toEqual([]);
  });

  describe("receipts", () => {
    const offline = { offline: true, viewport: { width: 390, height: 844 } };

    it("[TRUST 22] the verifier is one file that needs no login, and its policy allows no connection", async () => {
      const response = await fetch(`${browser.fixture.url}/verify`, { redirect: "error" });
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(await response.text()).toBe(readFileSync(verifyFile, "utf8"));
      expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; /);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|connect-src|http/);
    });

    it("[P2] the file verifies a receipt offline, and says whose key it trusted", async () => {
      const { bundle, key } = await createTestReceipt({ approver: new SoftAuthenticator() });
      await using opened = await browser.openAsVisitor(verifyFile.href, offline);
      const { page } = opened;
      await choose(page, { "receipt.json": bundle });
      await page.getByText("is not verified yet. Choose the operator's keys.").waitFor();
      await choose(page, { "keys.json": { keys: [key] } });
      await page.getByRole("heading", { name: "Verified in this browser" }).waitFor();
      await page.getByText("receipt.json, with a key of keys.json").waitFor();
      await page.getByText("ana, with passkey, in Paraph or through its API").waitFor();
      await expect.poll(() => page.getByRole("article").textContent()).toContain(`Signed by${key.kid}`);
      expect(await findSeriousViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    });

    it("[P2] a receipt without disclosures says that its content is not disclosed, and what it proves", async () => {
      const { bundle, key } = await createTestReceipt();
      await using opened = await browser.openAsVisitor(verifyFile.href, offline);
      const { page } = opened;
      await choose(page, { "keys.json": key, "receipt.json": bundle });
      await page.getByText("Disclosed input").waitFor();
      const notice = page.getByText("The content of this call is not disclosed.");
      expect(await notice.count()).toBe(0);
      await choose(page, { "receipt.json": { ...bundle, disclosures: {} } });
      await notice.waitFor();
      await page.getByText("owner, without passkey, in Paraph or through its API").waitFor();
      await expect
        .poll(() => page.getByRole("article").textContent())
        .toMatch(/Not disclosedinput.*, signed only as digests/);
      await page.getByText("5 checks passed, 2 had nothing to check").click();
      await page.getByText("No vote has a passkey, so there was nothing to check.").waitFor();
      await page.getByText("Nothing is disclosed, so there was nothing to check.").waitFor();
      expect(await page.getByText("Each passkey signed the digest that its vote approves.").count()).toBe(0);
      await page.getByText("Who approved, for approvals without a passkey.").waitFor();
      const [requested, ended] = ["Requested", "Ended"].map((name) =>
        page.getByText(name, { exact: true }).locator("xpath=following-sibling::dd[1]"),
      );
      expect(await requested!.textContent()).toMatch(/^\d+ \w+ \d{4}, [\d:]{8} UTC$/);
      expect(await ended!.textContent()).toMatch(/^\d+ \w+ \d{4}, [\d:]{8} UTC$/);
      expect(await findSeriousViolations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    });

    it("[TRUST 32] the file names the failed check of each false receipt, and shows none of its content", async () => {
      const signer = await createTestSigner();
      const whole = await createSampleReceipt(signer);
      const broken = await Promise.all(
        brokenStories.map(async ([, told, kind]) => createSampleReceipt(signer, told, kind)),
      );
      const other = await createTestSigner();
      const { keyid, sig } = whole.envelope.signatures[0]!;
      const payload = Buffer.from(
        Buffer.from(whole.envelope.payload, "base64").toString().replace("succeeded", "cancelled"),
      ).toString("base64");
      const cases: [check: string, receipts: unknown[]][] = [
        ["rules of a call", broken],
        [
          "signature",
          [
            { ...whole, envelope: { ...whole.envelope, payload } },
            { ...whole, envelope: { ...whole.envelope, signatures: [{ keyid: other.keyId, sig }] } },
            { ...whole, envelope: { ...whole.envelope, signatures: [{ keyid, sig: `A${sig.slice(1)}` }] } },
          ],
        ],
        ["disclosed data|format|signature", malformedReceipts.map(([, change]) => change(whole))],
      ];
      await using opened = await browser.openAsVisitor(verifyFile.href, offline);
      const { page } = opened;
      await choose(page, { "keys.json": signer.publicKey });
      for (const [check, receipts] of cases) {
        await choose(page, Object.fromEntries(receipts.map((one, index) => [`${check} ${index}.json`, one])));
        const results = page.getByRole("heading", { name: new RegExp(`^Not verified: (${check})$`) });
        await expect.poll(() => results.count(), { message: check }).toBe(receipts.length);
        expect(await page.getByRole("heading", { name: "Verified in this browser" }).count()).toBe(0);
        expect(await page.getByText("billing.refund").count()).toBe(0);
      }
    });

    it("[TRUST 32] the file refuses another key and a revoked key, and warns about an earlier receipt", async () => {
      const { bundle, key } = await createTestReceipt();
      const { key: otherKey } = await createTestReceipt();
      await using opened = await browser.openAsVisitor(verifyFile.href, offline);
      const { page } = opened;
      await choose(page, { "keys.json": otherKey, "receipt.json": bundle });
      await page.getByText("no trusted key has signed it").waitFor();
      await choose(page, {
        "keys.json": { ...key, kid: otherKey.kid, revokedAt: Date.parse("2026-03-01T09:30Z") },
      });
      await page.getByRole("heading", { name: "Not verified: revocation" }).waitFor();
      await choose(page, { "keys.json": { ...key, revokedAt: Date.parse("2026-03-02T00:00Z") } });
      await page.getByRole("heading", { name: "Verified in this browser" }).waitFor();
      await page.getByText("revoked from 2026-03-02 00:00:00 UTC on").waitFor();
      await choose(page, { "keys.json": { ...key, revokedAt: "soon" } });
      await page.getByText("`revokedAt` that is not a time").waitFor();
    });

    it("[TRUST 16] the receipt discloses what its reader saw, and no payload with a sensitive field", async () => {
      const input = { payment: "pay_secret_9", cents: 4_900, to: "Ida Roth" };
      const { call, approval } = await browser.fixture.ask("support-bot", "shop.refund", input);
      await browser.fixture.decide("Dora Lindqvist", approval, "approve");
      await using opened = await browser.open(`/console/calls/${call}`, "Dora Lindqvist");
      const { page } = opened;
      await page.getByRole("link", { name: "Verify receipt" }).click();
      const receipt = page.getByRole("article");
      await receipt.getByText("Refund €49.00 to Ida Roth").waitFor();
      await receipt.getByRole("region", { name: "Changes" }).getByText("Card ending 4412").waitFor();
      const text = await receipt.textContent();
      expect(text).toMatch(/Not disclosedinput, signed only as digests/);
      expect(text).not.toContain("pay_secret_9");
      expect(await findSeriousViolations(page)).toEqual([]);
    });

    it("the console verifies a receipt with the keys of its server, and says so", async () => {
      const { call, approval } = await browser.fixture.ask("release-bot", "shop.write", {
        path: "a",
        text: "b",
      });
      await browser.fixture.decide("Bo Nilsen", approval, "deny");
      const { body } = await browser.fixture.paraph.request("Bo Nilsen", "GET", `/v1/calls/${call}/receipt`);
      await using opened = await browser.open("/console/receipts");
      const { page } = opened;
      await page.getByText("1 key of this server, loaded now.").waitFor();
      await choose(page, { "receipt.json": body });
      await page.getByRole("heading", { name: "Signed by a key that this server gave you" }).waitFor();
      await page.getByText("Denied", { exact: true }).waitFor();
      expect(await page.getByRole("heading", { name: "Verified in this browser" }).count()).toBe(0);
      expect(await findSeriousViolations(page)).toEqual([]);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "download the public keys" }).click(),
      ]);
      const { keys } = JSON.parse(readFileSync(await download.path(), "utf8"));
      expect(keys).toMatchObject([{ kty: "OKP", crv: "Ed25519" }]);
      const article = page.getByRole("article");
      await article.getByText(keys[0].kid).first().waitFor();
      await page.getByText("Paste a trusted key or its fingerprint").click();
      const pasted = page.getByRole("textbox", { name: "Trusted key or its fingerprint" });
      await pasted.fill("not a key");
      await page.getByRole("button", { name: "Trust this key" }).click();
      await page.getByText("This is neither an Ed25519 key").waitFor();
      for (const [text, source] of [
        [keys[0].kid, "receipt.json, with the key whose fingerprint you pasted"],
        [JSON.stringify(keys[0]), "receipt.json, with the key that you pasted"],
      ]) {
        await pasted.fill(text);
        await page.getByRole("button", { name: "Trust this key" }).click();
        await page.getByRole("heading", { name: "Verified in this browser" }).waitFor();
        await page.getByText(source!).waitFor();
      }
      await choose(page, { "keys.json": (await createTestReceipt()).key });
      await page.getByRole("heading", { name: "Not verified: signature" }).waitFor();
      await page.getByRole("button", { name: "Use the keys of this server" }).click();
      await page.getByRole("heading", { name: "Signed by a key that this server gave you" }).waitFor();
    });
  });

  describe("activity", () => {
    it("answers who requested, was asked and decided, and exports what the filters of the address match", async () => {
      const input = { payment: "pay_secret_8", cents: 700, to: "Noa Lind" };
      const { call, approval } = await browser.fixture.ask("support-bot", "shop.refund", input);
      await browser.fixture.decide("Dora Lindqvist", approval, "approve");
      await browser.fixture.ask("release-bot", "shop.checksum", { path: "VERSION" });
      await using opened = await browser.open("/console/people/support-bot", "Dora Lindqvist");
      const { page } = opened;
      await page.getByRole("link", { name: "Activity log" }).click();
      const rows = page.getByRole("row").filter({ hasText: call });
      await expect
        .poll(() => rows.locator("td:nth-child(2) > p:first-child").allTextContents())
        .toEqual(["The call succeeded", "Dora Lindqvist approved", "Paraph asked for approval"]);
      expect(
        await page
          .getByRole("row")
          .filter({ hasText: "shop.checksum" })
          .filter({ hasText: "release-bot" })
          .count(),
      ).toBe(0);
      await rows.first().getByText("Digest of the receipt").click();
      const digest = await rows.first().locator("details code").textContent();
      expect(await rows.first().locator("time").textContent()).toMatch(/\d{4}, [\d:]{8} UTC$/);
      expect(await findSeriousViolations(page)).toEqual([]);
      await page.getByRole("button", { name: "Approved" }).click();
      await expect.poll(() => rows.count()).toBe(1);
      const today = new Date().toISOString().slice(0, 10);
      await page.getByLabel("To", { exact: true }).fill(today);
      await expect.poll(() => new URL(page.url()).searchParams.get("until")).not.toBeNull();
      await expect.poll(() => rows.count()).toBe(1);
      await page.getByRole("button", { name: "All" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "CSV" }).click(),
      ]);
      const lines = readFileSync(await download.path(), "utf8")
        .split("\r\n")
        .filter((line) => line.includes(call));
      expect(lines).toHaveLength(3);
      expect(lines[0]).toContain(digest);
      expect(lines.join()).toContain("Dora Lindqvist");
      await page.getByLabel("To", { exact: true }).fill("2026-01-01");
      await page.getByText("No activity matches").waitFor();
      await page.setViewportSize({ width: 320, height: 568 });
      await page.goto(`${browser.fixture.url}/console/activity`);
      await rows.first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(await findSeriousViolations(page)).toEqual([]);
    });
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
      expect(new URL(page.url()).search).toBe("?steps=out");
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
      expect(new URL(page.url()).searchParams.get("file")).toBe("presets/balanced.cedar");
      const line = Number(new URL(page.url()).searchParams.get("line"));
      expect(await page.locator(`#line-${line}`).isVisible()).toBe(true);
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
      expect(new URL(page.url()).search).toBe("?principal=support-bot&capability=shop.refund");
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

/** Chooses files of these names and JSON values. */
async function choose(page: Page, files: Readonly<Record<string, unknown>>): Promise<void> {
  await page.getByLabel("Receipts and keys").setInputFiles(
    Object.entries(files).map(([name, value]) => ({
      name,
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(value)),
    })),
  );
}
