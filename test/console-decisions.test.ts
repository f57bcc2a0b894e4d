// Tests the decisions of the console that need more than a button: passkeys, answers, edits, reveals and bundles.
import { defineCapability, verifyReceipt } from "@paraph/core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { hasBrowser } from "./support/web/browser.ts";
import { ConsoleBrowser, findSeriousViolations } from "./support/web/console-browser.ts";
import type { ConsoleFixture } from "./support/web/console-fixture.ts";
import { addAuthenticator } from "./support/web/virtual-authenticator.ts";

const phone = { viewport: { width: 320, height: 568 }, colorScheme: "dark" } as const;

describe.runIf(hasBrowser)("the console, for people who decide", () => {
  let browser: ConsoleBrowser;
  let fixture: ConsoleFixture;
  const paid: string[] = [];
  let invoiceStatus = "open";
  beforeAll(async () => {
    const payout = defineCapability({
      name: "shop.payout",
      version: 1,
      summary: "Pay a supplier",
      effect: "write",
      risk: "high",
      idempotency: "natural",
      input: z.object({ supplier: z.string(), cents: z.int() }),
      output: z.object({}),
      headline: ({ supplier, cents }) => `Pay €${(cents / 100).toFixed(2)} to ${supplier}`,
      preview: async ({ supplier, cents }) => ({
        changes: [{ kind: "create", target: `transfer to ${supplier}`, details: { cents } }],
        basis: null,
      }),
      apply: async ({ supplier }) => {
        paid.push(supplier);
        return {};
      },
    });
    const settle = defineCapability({
      name: "shop.settle",
      version: 1,
      summary: "Settle an invoice",
      effect: "write",
      risk: "medium",
      idempotency: "natural",
      input: z.object({ invoice: z.string() }),
      output: z.object({}),
      preview: async ({ invoice }) => ({
        changes: [
          {
            kind: "update",
            target: invoice,
            details: { status: { before: invoiceStatus, after: "settled" }, customer: "Jon Ash" },
          },
        ],
        basis: { status: invoiceStatus },
      }),
      apply: async () => ({}),
    });
    browser = await ConsoleBrowser.start(
      {},
      {},
      {
        capabilities: [payout, settle],
        rules: [
          {
            capability: "shop.payout",
            ask: true,
            proof: "passkey",
            sentence: "Payouts are approved with a passkey.",
          },
        ],
      },
      // The id of a person with a passkey has no space.
      ["carla"],
    );
    fixture = browser.fixture;
  });
  afterAll(() => browser?.stop());
  afterEach(() => {
    expect(browser.complaints.splice(0)).toEqual([]);
  });

  const open: ConsoleBrowser["open"] = (...given) => browser.open(...given);
  const read = async (path: string, as = "Bo Nilsen") => (await fixture.paraph.request(as, "GET", path)).body;
  const statusOf = async (approval: string) => (await read(`/v1/approvals/${approval}`)).status;
  const refund = (to: string) =>
    fixture.ask("support-bot", "shop.refund", { payment: `pay_secret_${to}`, cents: 300_000, to });
  const fact = (page: Page) => page.getByRole("heading", { level: 1 });
  const overflow = (page: Page) => page.evaluate("document.documentElement.scrollWidth - innerWidth");
  const expectSound = async (page: Page) => {
    expect(await findSeriousViolations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  };
  const focused = (page: Page) => page.evaluate("document.activeElement.textContent");

  it("[TRUST 27] a passkey signs the approval that is on the screen; without user verification nothing is sent", async () => {
    const { approval, call } = await fixture.ask("ops-bot", "shop.payout", {
      supplier: "Acme",
      cents: 120_000,
    });
    await using opened = await open("/passkeys", "carla");
    const { page } = opened;
    const setUserVerified = await addAuthenticator(page);

    await page.getByLabel("Name of the passkey").fill("laptop");
    await page.getByRole("button", { name: "Enrol passkey" }).click();
    await page.waitForURL("**/approvals/*");
    await fixture.decide("Ana Lima", new URL(page.url()).pathname.split("/").at(-1) ?? "", "approve");
    await expect.poll(async () => (await read("/v1/passkeys", "carla")).passkeys.length).toBe(1);

    await page.goto(`${fixture.url}/console/approvals/${approval}`);
    const approve = page.getByRole("button", { name: "Approve with passkey…" });
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Approve with passkey" });
    await setUserVerified(false);
    await expect.poll(() => approve.getAttribute("aria-disabled")).toBe("false");
    await expectSound(page);
    await approve.click();
    await confirm.click();
    await page.getByText("Nothing was sent.").waitFor();
    expect(await statusOf(approval)).toBe("open");

    await setUserVerified(true);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    const sent = page.waitForRequest((request) => request.url().endsWith("/decision"));
    await confirm.press("Enter");
    const { digest } = await read(`/v1/approvals/${approval}`);
    expect((await sent).postDataJSON()).toEqual({
      decision: "approve",
      digest,
      passkey: expect.objectContaining({ signature: expect.any(String) }),
    });
    await page.getByText(/Approved by you/).waitFor();
    await expect.poll(async () => (await read(`/v1/calls/${call}`)).outcome?.kind).toBe("succeeded");
    expect(paid).toEqual(["Acme"]);
    const { keys } = await read("/v1/keys");
    const { passkeys } = await verifyReceipt(await read(`/v1/calls/${call}/receipt`), keys);
    expect(passkeys).toEqual(["carla"]);
  });

  it("answers the question of an agent, with the answer in the approval", async () => {
    const input = { question: "Which plan?", kind: "choice", options: ["Basic", "Pro"] };
    const { approval, call } = await fixture.ask("support-bot", "human.ask", input);
    await using opened = await open(`/console/approvals/${approval}`, "Bo Nilsen", phone);
    const { page } = opened;
    const send = page.getByRole("button", { name: "Send answer" });
    await page.getByText("Answer the question first.").waitFor();
    expect(await send.getAttribute("aria-disabled")).toBe("true");
    await page.getByText("This only reads and changes nothing.").waitFor();
    expect(await page.getByText("The changes are unknown.").count()).toBe(0);
    await page.getByRole("combobox", { name: "Which plan?" }).selectOption({ label: "Pro" });
    await expectSound(page);
    await send.click();
    await page.getByText(/Approved by you/).waitFor();
    await expect
      .poll(async () => (await read(`/v1/calls/${call}`)).output)
      .toEqual({ answer: "Pro", by: "Bo Nilsen" });
  });

  it("[P6] edits a waiting call with a form and a preview, and another person approves the edited one", async () => {
    const { approval, call } = await refund("Jon Ash");
    await using opened = await open(`/console/approvals/${approval}`);
    const { page } = opened;
    await fact(page).waitFor();
    await page.keyboard.press("e");
    await page.waitForURL(`**/approvals/${approval}/edit`);
    await page.getByText("Change a value.").waitFor();
    expect(await page.getByLabel("payment").inputValue()).toBe("•••");
    await page.getByLabel("cents").fill("twelve");
    await page.getByRole("button", { name: "Show what it would change" }).click();
    await page.getByText("This is not a number.").waitFor();
    expect(await page.evaluate("document.activeElement.value")).toBe("twelve");
    await page.getByLabel("cents").fill("1250");
    await page.getByRole("button", { name: "Show what it would change" }).click();
    await page.getByText("Refund €12.50 to Jon Ash").waitFor();
    await page.getByText("Paraph would ask people first").waitFor();
    await expectSound(page);
    expect(await statusOf(approval)).toBe("open");
    await page.getByLabel("cents").fill("1300");
    await page.getByRole("button", { name: "Send edited request" }).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Show what it would change" }).click();
    await page.getByLabel(/Why do you change it/).fill("Only the lamp broke.");
    await page.getByRole("button", { name: "Send edited request" }).click();
    await page.getByText("You edited this request, so another person decides.").waitFor();
    await expect.poll(() => fact(page).textContent()).toBe("Refund €13.00 to Jon Ash");
    const { successor } = await read(`/v1/calls/${call}`);
    const next = await read(`/v1/calls/${successor}`, "support-bot");
    expect(next.input).toEqual({ payment: "pay_secret_Jon Ash", cents: 1_300, to: "Jon Ash" });
    expect((await read(`/v1/calls/${call}`)).reason).toBe("Only the lamp broke.");
    await fixture.decide("Dora Lindqvist", next.approval.id, "approve");
    await expect.poll(() => fixture.refunds).toContain("pay_secret_Jon Ash");
  });

  it("[P5] a request whose data moved shows first what is different from the last round", async () => {
    const { call, approval } = await fixture.ask("support-bot", "shop.settle", { invoice: "invoice 81" });
    invoiceStatus = "disputed";
    await fixture.decide("Dora Lindqvist", approval, "approve");
    const readRound = async () =>
      (await fixture.paraph.request("Bo Nilsen", "GET", `/v1/calls/${call}`)).body.approval;
    await expect.poll(async () => (await readRound()).round).toBe(2);
    const { id } = await readRound();
    await using opened = await open(`/console/approvals/${id}`, "Bo Nilsen", phone);
    const { page } = opened;
    await page.getByText("The underlying data changed. Earlier votes no longer count.").waitFor();
    const since = page.getByRole("region", { name: "Different from the last round" });
    await since.waitFor();
    const text = (await since.textContent()) ?? "";
    expect(text).toContain("statusbefore: openafter: disputed");
    expect(text).toContain("statusbefore: open → settledafter: disputed → settled");
    expect(text).not.toContain("Jon Ash");
    expect((await page.getByRole("heading", { level: 2 }).allTextContents()).slice(0, 2)).toEqual([
      "Different from the last round",
      "What will change",
    ]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(await findSeriousViolations(page)).toEqual([]);
    await fixture.decide("Bo Nilsen", id, "deny");
  });

  it("edits one step of a plan", async () => {
    const write = (id: string, path: string) => ({
      id,
      capability: "shop.write",
      input: { path, text: "retries: 5" },
    });
    const { approval } = await fixture.askPlan("release-bot", [write("a", "a.yaml"), write("b", "b.yaml")]);
    await using opened = await open(`/console/approvals/${approval}/edit`, "Bo Nilsen", phone);
    const { page } = opened;
    await expect.poll(() => overflow(page)).toBe(0);
    await page.getByRole("link", { name: /Change b\.yaml/ }).click();
    await page.getByLabel("path").fill("c.yaml");
    await page.getByRole("button", { name: "Show what it would change" }).click();
    await page.getByText("Change c.yaml").waitFor();
    await expectSound(page);
    await page.getByRole("button", { name: "Send edited request" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
    // The heading is the headline of the plan, as in every list.
    await page.getByRole("heading", { level: 1, name: "Change a.yaml and 1 more step" }).waitFor();
    await page.getByText("Change c.yaml").waitFor();
    await page.getByText("Change a.yaml", { exact: true }).waitFor();
  });

  it("[TRUST 16] reveals a hidden value after recording it, and hides it again on the next screen", async () => {
    const { approval, call } = await refund("Mia Voss");
    const secret = "pay_secret_Mia Voss";
    await using opened = await open(`/console/inbox?sel=${approval}`, "Bo Nilsen", phone);
    const { page } = opened;
    const hidden = page.getByText(/Hidden:/);
    await hidden.scrollIntoViewIfNeeded();
    expect(await page.locator("#root").textContent()).not.toContain(secret);
    await page.getByRole("button", { name: "Reveal" }).press("Enter");
    await page.getByText("This is recorded.").waitFor();
    expect(await focused(page)).toBe("What will change");
    const { events } = await read(`/v1/calls/${call}/events`);
    expect(events).toContainEqual(expect.objectContaining({ type: "dev.paraph.call.revealed.v1" }));
    await page.getByText("You revealed 1 value.").scrollIntoViewIfNeeded();
    await page.getByText(secret).waitFor();
    await expectSound(page);
    await page.goto(`${fixture.url}/console/calls/${call}?tab=data`);
    await page.getByText("•••").first().waitFor();
    expect(await page.locator("#root").textContent()).not.toContain(secret);
    await fixture.decide("Bo Nilsen", approval, "deny");
  });

  it("[TRUST 6] decides alike requests together, each with its digest, and approves none of high risk", async () => {
    const asks: Awaited<ReturnType<typeof refund>>[] = [];
    for (let index = 0; index < 7; index += 1)
      asks.push(
        await fixture.ask("release-bot", "shop.write", { path: `bundle-${index}.yaml`, text: "retries: 5" }),
      );
    await using opened = await open("/console/inbox");
    const { page } = opened;
    await page.getByRole("link", { name: /Change bundle-\d\.yaml and 6 more.*7 alike/s }).click();
    await page.getByRole("heading", { name: "7 similar requests from release-bot" }).waitFor();
    await page.getByText("retries: 5").nth(6).waitFor();
    await page.getByRole("button", { name: "Choose approve for 7" }).click();
    // A reason belongs to denials only.
    expect(await page.getByLabel(/^Reason for/).count()).toBe(0);
    await page.getByRole("group", { name: "request 1", exact: false }).getByLabel("Deny").check();
    await page.getByRole("group", { name: "request 2", exact: false }).getByLabel("Leave open").check();
    await fixture.decide("Dora Lindqvist", asks[0]!.approval, "deny");
    await page.getByText(/Denied by Dora/).waitFor();
    await page.getByLabel("Reason for the denial (optional)").fill("Batch of Monday.");
    await expectSound(page);
    // Another person decides a chosen request after the button was pressed.
    await page.route("**/v1/approvals/decisions", async (route) => {
      await fixture.decide("Dora Lindqvist", asks[1]!.approval, "deny");
      await route.continue();
    });
    await page.getByRole("button", { name: "Approve 4 and deny 1 requests" }).click();
    await page.getByText("1 not recorded", { exact: false }).waitFor();
    expect(await Promise.all(asks.map(({ approval }) => statusOf(approval)))).toEqual([
      ...["denied", "denied"],
      ...["approved", "approved", "approved"],
      ...["open", "denied"],
    ]);
    const reasonOf = async (call: string) => (await read(`/v1/calls/${call}`)).reason;
    expect([await reasonOf(asks[2]!.call), await reasonOf(asks[6]!.call)]).toEqual([
      undefined,
      "Batch of Monday.",
    ]);
    await page.setViewportSize(phone.viewport);
    await expectSound(page);
    await fixture.decide("Bo Nilsen", asks[5]!.approval, "deny");

    for (let index = 0; index < 6; index += 1) await refund(`Grave ${index}`);
    await page.goto(`${fixture.url}/console/bundles?principal=support-bot&capability=shop.refund`);
    await page.getByText("It is of high risk. Open it to approve.").nth(5).waitFor();
    expect(await page.getByRole("radio", { name: "Approve" }).count()).toBe(0);
    await page.getByRole("button", { name: "Choose deny for 6" }).click();
    await page.getByRole("button", { name: "Deny 6 requests" }).click();
    await page.getByText("6 decisions recorded.").waitFor();
  });

  // Takes pictures of every state for review.
  it.runIf(process.env.PARAPH_TEST_SCREENSHOTS !== undefined)("has screenshots", async () => {
    const folder = process.env.PARAPH_TEST_SCREENSHOTS;
    const payout = await fixture.ask("ops-bot", "shop.payout", { supplier: "Acme", cents: 120_000 });
    const asked = await fixture.ask("support-bot", "human.ask", {
      question: "Which plan should Jon Ash get?",
      kind: "choice",
      options: ["Basic", "Pro"],
    });
    const refunded = await refund("Jon Ash");
    const plan = await fixture.askPlan("release-bot", [
      { id: "a", capability: "shop.write", input: { path: "a.yaml", text: "retries: 5" } },
      { id: "b", capability: "shop.write", input: { path: "deploy/b.yaml", text: "retries: 5" } },
    ]);
    for (let index = 0; index < 7; index += 1)
      await fixture.ask("release-bot", "shop.write", { path: `bundle-${index}.yaml`, text: "retries: 5" });
    const bundle = "/bundles?principal=release-bot&capability=shop.write";
    const edit = async (page: Page) => {
      await page.getByLabel("cents").fill("1250");
      await page.getByRole("button", { name: "Show what it would change" }).click();
      await page.getByText("Paraph would ask people first").waitFor();
    };
    const screens: readonly (readonly [string, string, ((page: Page) => Promise<unknown>)?])[] = [
      ["passkey", `/inbox?sel=${payout.approval}`],
      ["answer", `/inbox?sel=${asked.approval}`],
      [
        "hidden",
        `/inbox?sel=${refunded.approval}`,
        (page) => page.getByText(/Hidden:/).scrollIntoViewIfNeeded(),
      ],
      ["edit", `/approvals/${refunded.approval}/edit`],
      ["edit-preview", `/approvals/${refunded.approval}/edit`, edit],
      [
        "edit-preview-end",
        `/approvals/${refunded.approval}/edit`,
        async (page) => {
          await edit(page);
          await page.getByRole("button", { name: "Send edited request" }).scrollIntoViewIfNeeded();
        },
      ],
      ["edit-plan", `/approvals/${plan.approval}/edit`],
      [
        "revealed",
        `/inbox?sel=${refunded.approval}`,
        async (page) => {
          await page.getByRole("button", { name: "Reveal" }).click();
          await page.getByText("This is recorded.").scrollIntoViewIfNeeded();
        },
      ],
      ["bundle", bundle],
      ["bundle-chosen", bundle, (page) => page.getByRole("button", { name: /Choose approve/ }).click()],
      ["inbox-bundle", "/inbox"],
    ];
    for (const [size, viewport] of [
      ["desk", { width: 1440, height: 900 }],
      ["small", { width: 320, height: 568 }],
    ] as const)
      for (const colorScheme of ["light", "dark"] as const) {
        await using opened = await open("/console/inbox", "Bo Nilsen", { viewport, colorScheme });
        const { page } = opened;
        for (const [name, path, act] of screens) {
          await page.goto(`${fixture.url}/console${path}`);
          await fact(page)
            .first()
            .waitFor({ timeout: 3_000 })
            .catch(() => {});
          await act?.(page);
          await page.evaluate("document.fonts.ready.then(() => true)");
          await page.screenshot({ path: `${folder}/decide-${name}-${size}-${colorScheme}.png` });
        }
      }
  });
});
