// Takes the pictures of the console for the documentation, with `npm run screenshots:console`.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "./support/web/browser.ts";
import { ConsoleBrowser } from "./support/web/console-browser.ts";

const folder = process.env.PARAPH_TEST_GALLERY;

describe.runIf(hasBrowser && folder !== undefined)("the pictures of the console", () => {
  let browser: ConsoleBrowser;
  const sizes = {
    desk: { viewport: { width: 1280, height: 800 }, colorScheme: "light", timezoneId: "UTC" },
    phone: {
      viewport: { width: 390, height: 844 },
      colorScheme: "dark",
      deviceScaleFactor: 2,
      timezoneId: "UTC",
    },
  } as const;

  beforeAll(async () => {
    browser = await ConsoleBrowser.start();
  });
  afterAll(() => browser?.stop());

  async function picture(
    name: string,
    path: string,
    size: keyof typeof sizes,
    shows: string | RegExp,
    as = "Bo Nilsen",
  ): Promise<void> {
    await using opened = await browser.open(`/console${path}`, as, sizes[size]);
    const { page } = opened;
    await page.getByText(shows).filter({ visible: true }).first().waitFor();
    if (size === "desk") await page.getByText("Live", { exact: true }).waitFor();
    await page.evaluate("document.fonts.ready.then(() => true)");
    const { colorScheme } = sizes[size];
    await page.screenshot({
      path: `${folder}/console-${name}-${size}-${colorScheme}.png`,
      animations: "disabled",
    });
  }

  it("are taken", async () => {
    const { fixture } = browser;
    const refund = (to: string, cents: number, purpose?: string) =>
      fixture.ask("support-bot", "shop.refund", { payment: `pay_${to}`, cents, to }, purpose);
    const done = await refund("Mia Voss", 4_900, "Order 10388 was charged twice.");
    await fixture.decide("Dora Lindqvist", done.approval, "approve");
    const denied = await refund("Kim Osei", 250_000);
    await fixture.decide("Dora Lindqvist", denied.approval, "deny");
    await fixture.ask("support-bot", "shop.checksum", { path: "price-list.csv" });
    const purge = await fixture.ask(
      "ops-bot",
      "shop.purge",
      { rows: 12_431 },
      "Clean up inactive accounts before the pricing change.",
    );
    const ash = await refund(
      "Jon Ash",
      300_000,
      "Order 10442 arrived broken; customer asks for the full amount.",
    );
    await fixture.ask("release-bot", "shop.write", { path: "config.yaml", text: "retries: 5" });
    const plan = await fixture.askPlan("release-bot", [
      { id: "config", capability: "shop.write", input: { path: "deploy/web.yaml", text: "retries: 5" } },
      { id: "clean", capability: "shop.purge", input: { rows: 40 }, after: ["config"] },
      { id: "tell", capability: "shop.mail", input: { to: "team@example.com" }, after: ["clean"] },
    ]);

    await picture("home", "/", "desk", "Each step of a plan counts.");
    await picture("inbox", `/inbox?sel=${ash.approval}`, "desk", "Card ending 4412");
    await picture("critical", `/approvals/${purge.approval}`, "phone", "last_seen_at < '2024-01-01'");
    await picture("call", `/calls/${done.call}`, "desk", "The call succeeded");
    await picture("plan", `/plans/${plan.call}`, "desk", "Dora Lindqvist");
    await picture("people", "/people", "desk", "release-bot", "Dora Lindqvist");
    await picture("receipt", `/receipts?call=${done.call}`, "desk", /Signed by a key/);
    expect(browser.complaints).toEqual([]);
  });
});
