// Tests the screen of the console on which people enrol and remove their passkeys.
import { defineCapability } from "@paraph/core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { hasBrowser } from "./support/web/browser.ts";
import { ConsoleBrowser, findSeriousViolations, pressSequence } from "./support/web/console-browser.ts";
import type { ConsoleFixture } from "./support/web/console-fixture.ts";
import { addAuthenticator } from "./support/web/virtual-authenticator.ts";

describe.runIf(hasBrowser)("the console, for people with passkeys", () => {
  let browser: ConsoleBrowser;
  let fixture: ConsoleFixture;
  const paid: string[] = [];
  beforeAll(async () => {
    const payout = defineCapability({
      name: "shop.payout",
      version: 1,
      summary: "Pay a supplier",
      effect: "write",
      risk: "high",
      idempotency: "natural",
      input: z.object({ supplier: z.string() }),
      output: z.object({}),
      headline: ({ supplier }) => `Pay ${supplier}`,
      preview: async ({ supplier }) => ({ changes: [{ kind: "create", target: supplier }], basis: null }),
      apply: async ({ supplier }) => {
        paid.push(supplier);
        return {};
      },
    });
    const rule = {
      capability: "shop.payout",
      ask: true,
      proof: "passkey",
      sentence: "Payouts are approved with a passkey.",
    } as const;
    browser = await ConsoleBrowser.start({}, {}, { capabilities: [payout], rules: [rule] }, [
      ...["carla", "dan", "eli", "fay", "gus", "hal"],
    ]);
    fixture = browser.fixture;
  });
  afterAll(() => browser?.stop());
  afterEach(() => {
    expect(browser.complaints.splice(0)).toEqual([]);
  });

  const open = (person: string, path = "/passkeys", options: BrowserContextOptions = {}) =>
    browser.open(`/console${path}`, person, options);
  const request = async (as: string, path: string) =>
    (await fixture.paraph.request(as, "GET", `/v1${path}`)).body;
  const listPasskeys = async (person: string) => (await request(person, "/passkeys")).passkeys;
  const listCalls = async (person: string) =>
    (await request(person, `/calls?capability=admin.passkey_add&principal=${person}`)).calls;
  const dialog = (page: Page) => page.getByRole("dialog");
  const expectSound = async (page: Page) => {
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  };
  const openForm = async (page: Page, name: string) => {
    await page.getByRole("button", { name: "Enrol passkey…" }).click();
    await dialog(page).getByLabel("Name of the passkey").fill(name);
  };
  const enrol = (page: Page) =>
    dialog(page).getByRole("button", { name: "Enrol passkey", exact: true }).click();
  const listWaiting = async (person: string) => {
    const calls = (await listCalls(person)).filter(({ outcome }: { outcome?: object }) => !outcome);
    return Promise.all(calls.map(({ call }: { call: string }) => request(person, `/calls/${call}`)));
  };
  const approve = async (person: string) => {
    const [{ waiting }] = await listWaiting(person);
    await fixture.decide("Ana Lima", waiting.approval.id, "approve");
  };

  it("[TRUST 27] a person enrols a passkey from an approval that needs one, approves with it, and removes it", async () => {
    const { approval } = await fixture.ask("ops-bot", "shop.payout", { supplier: "Acme" });
    await using opened = await open("carla", `/approvals/${approval}`);
    const { page } = opened;
    const setUserVerified = await addAuthenticator(page);
    await page.getByText("You need a passkey to approve.").waitFor();
    const button = page.getByRole("button", { name: "Approve with passkey…" });
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    await expectSound(page);
    await page.getByRole("link", { name: "Enrol a passkey" }).click();

    await page.getByText("You have no passkey.").waitFor();
    await expectSound(page);
    await openForm(page, "laptop");
    await expectSound(page);
    await setUserVerified(false);
    await enrol(page);
    await dialog(page).getByText("Nothing was sent. You cancelled, or").waitFor();
    expect(await listCalls("carla")).toEqual([]);
    await setUserVerified(true);
    await enrol(page);
    await dialog(page).getByText("Key fingerprint").waitFor();
    await expectSound(page);
    const [{ preview }] = await listWaiting("carla");
    const { fingerprint } = preview.changes[0].details;
    await dialog(page).getByText(fingerprint).waitFor();
    await dialog(page).getByRole("button", { name: "Close", exact: true }).click();
    const row = page.getByRole("listitem").filter({ hasText: "laptop" });
    await row.getByText("It works once its enrolment is approved.").waitFor();
    await row.getByText(fingerprint).waitFor();
    expect(await listPasskeys("carla")).toEqual([]);
    await expectSound(page);

    await approve("carla");
    await row.getByText("Not used yet.").waitFor();
    expect(await listPasskeys("carla")).toMatchObject([{ person: "carla", label: "laptop", fingerprint }]);
    await page.getByText("Enrol a second passkey").waitFor();
    await page.goto(`${fixture.url}/console/approvals/${approval}`);
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("false");
    await button.click();
    await dialog(page).getByRole("button", { name: "Approve with passkey" }).click();
    await page.getByText(/Approved by you/).waitFor();
    await expect.poll(() => paid).toEqual(["Acme"]);

    await pressSequence(page, "g", "k");
    await row.getByText(/Last used (just now|\d+ (s|min) ago)\./).waitFor();
    await expectSound(page);
    await page.getByRole("button", { name: "Remove passkey laptop…" }).click();
    await dialog(page).getByText("carla can no longer approve with it and has 0 other passkeys.").waitFor();
    await expectSound(page);
    await dialog(page).getByRole("button", { name: "Remove passkey", exact: true }).click();
    await dialog(page).getByText("Succeeded", { exact: true }).waitFor();
    await dialog(page).getByRole("button", { name: "Close", exact: true }).click();
    await page.getByText("You have no passkey.").waitFor();
    expect(await listPasskeys("carla")).toEqual([]);
  });

  it("enrols a passkey by keyboard, and no second one on the same device", async () => {
    await using opened = await open("dan", "/");
    const { page } = opened;
    await addAuthenticator(page);
    await page.getByRole("link", { name: "Passkeys" }).press("Enter");
    await page.getByRole("button", { name: "Enrol passkey…" }).press("Enter");
    const name = dialog(page).getByLabel("Name of the passkey");
    await name.press("Enter");
    await name.fill("Schlüssel");
    await name.press("Enter");
    await name.fill("phone");
    await name.press("Enter");
    await dialog(page).getByText("Key fingerprint").waitFor();
    await approve("dan");
    await dialog(page).getByText("Succeeded", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Not used yet.").waitFor();
    await openForm(page, "phone again");
    await enrol(page);
    await dialog(page).getByText("already holds a passkey of yours").waitFor();
    expect(await listCalls("dan")).toHaveLength(1);
  });

  it("sends nothing if the person goes back, or if no device can verify them", async () => {
    await using opened = await open("hal");
    const { page } = opened;
    const devtools = await page.context().newCDPSession(page);
    // Without an authenticator, the browser waits for one.
    await devtools.send("WebAuthn.enable");
    await openForm(page, "laptop");
    await enrol(page);
    await dialog(page).getByText("Confirm with your passkey.").waitFor();
    await dialog(page).getByRole("button", { name: "Go back" }).click();
    await dialog(page).waitFor({ state: "detached" });
    await addAuthenticator(page, "key without PIN");
    await openForm(page, "key");
    await enrol(page);
    await dialog(page).getByText("Connect a security key with a PIN, or use a phone.").waitFor();
    expect(await listCalls("hal")).toEqual([]);
  });

  it("sends a passkey again after a lost answer, as the same call", async () => {
    await using opened = await open("eli");
    const { page } = opened;
    await addAuthenticator(page);
    await openForm(page, "laptop");
    await page.route("**/v1/passkeys", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await enrol(page);
    await dialog(page).getByText("Send it again: it is requested once.").waitFor();
    await page.unroute("**/v1/passkeys");
    await enrol(page);
    await dialog(page).getByText("Key fingerprint").waitFor();
    expect(await listCalls("eli")).toHaveLength(1);
    // The browser reports the lost answer.
    expect(browser.complaints.splice(0)).toEqual([expect.stringContaining("ERR_FAILED")]);
  });

  it("[TRUST 27] says why the passkey of another session was refused, and creates another one at the next try", async () => {
    const login = await fixture.paraph.browser("acme", "fay");
    const cookie = `__Host-paraph=${login.cookie(new URL(fixture.url).origin, "__Host-paraph")}`;
    const response = await fetch(`${fixture.url}/v1/passkeys/enrolment`, { headers: { cookie } });
    const json = await response.json();
    await using opened = await open("fay");
    const { page } = opened;
    await addAuthenticator(page);
    await openForm(page, "laptop");
    await page.route("**/v1/passkeys/enrolment", (route) => route.fulfill({ json }));
    await enrol(page);
    await dialog(page).getByText("The registration is no valid passkey").waitFor();
    expect(await listCalls("fay")).toEqual([]);
    await page.unroute("**/v1/passkeys/enrolment");
    await enrol(page);
    await dialog(page).getByText("Key fingerprint").waitFor();
    // The browser reports the refused request.
    expect(browser.complaints.splice(0)).toEqual([expect.stringContaining("status of 403")]);
  });

  it("leads to the configured address, to the login, and says that an IP address has no passkeys", async () => {
    await using opened = await open("gus");
    const { page } = opened;
    const context = page.context();
    const byNumber = fixture.url.replace("localhost", "127.0.0.1");
    const [session] = await context.cookies(fixture.url.replace("http:", "https:"));
    const url = byNumber.replace("http:", "https:");
    const { name, value } = session ?? { name: "", value: "" };
    await context.addCookies([{ name, value, url, secure: true, httpOnly: true }]);
    const other = await context.newPage();
    await other.goto(`${byNumber}/console/passkeys`);
    await other.getByText(`Passkeys belong to ${fixture.url}`).waitFor();
    expect(await other.getByRole("button", { name: "Enrol passkey…" }).count()).toBe(0);
    expect(await other.getByRole("link", { name: "Open your passkeys there" }).getAttribute("href")).toBe(
      `${fixture.url}/console/passkeys`,
    );
    await other.route("**/v1/passkeys/enrolment", (route) => route.fulfill({ json: {} }));
    await other.reload();
    await other.getByText("Browsers offer passkeys only for host names").waitFor();

    await addAuthenticator(page);
    await openForm(page, "laptop");
    await context.clearCookies();
    await enrol(page);
    await page.waitForURL(/\/login\?to=%2Fconsole%2Fpasskeys$/);
    expect(await listCalls("gus")).toEqual([]);
    // The browser reports the refused requests.
    expect(browser.complaints.splice(0).filter((text) => !text.includes("status of 401"))).toEqual([]);
  });

  it.each([
    ["dark", 320],
    ["light", 390],
  ] as const)(
    "axe finds no serious violation and nothing overflows: %s, %i px",
    async (colorScheme, width) => {
      const { approval } = await fixture.ask("ops-bot", "shop.payout", { supplier: `Acme ${width}` });
      const options = { viewport: { width, height: 664 }, colorScheme };
      await using opened = await open("carla", `/approvals/${approval}`, options);
      const { page } = opened;
      await addAuthenticator(page);
      await page.getByRole("link", { name: "Enrol a passkey" }).waitFor();
      await expectSound(page);
      await page.goto(`${fixture.url}/console/inbox`);
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("link", { name: "Passkeys" }).click();
      await openForm(page, `${"W".repeat(60)} ${width}`);
      await expectSound(page);
      await enrol(page);
      await dialog(page).getByText("Key fingerprint").waitFor();
      await expectSound(page);
      await dialog(page).getByRole("button", { name: "Close", exact: true }).click();
      await page.getByText("It works once").waitFor();
      await expectSound(page);
      await approve("carla");
      await page.getByText("Not used yet.").waitFor();
      await expectSound(page);
      await page.getByRole("button", { name: /^Remove passkey W/ }).click();
      await dialog(page).getByText("It takes effect at once.").waitFor();
      await expectSound(page);
      await dialog(page).getByRole("button", { name: "Remove passkey", exact: true }).click();
      await dialog(page).getByText("Succeeded", { exact: true }).waitFor();
    },
  );
});
