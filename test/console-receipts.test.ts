// Tests the screens of the console with which people prove: the verifier of receipts, and the activity log.
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

describe.runIf(hasBrowser)("the console, for people who prove", () => {
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
      const otherSig = `${sig.startsWith("A") ? "B" : "A"}${sig.slice(1)}`;
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
            { ...whole, envelope: { ...whole.envelope, signatures: [{ keyid, sig: otherSig }] } },
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
});

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
