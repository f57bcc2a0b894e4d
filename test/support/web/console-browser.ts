import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { ConsoleFixture } from "./console-fixture.ts";

/** A browser on a Paraph with the console. It records what a page does that it must not do. */
export class ConsoleBrowser {
  readonly fixture: ConsoleFixture;
  readonly #browser: Browser;
  /** The complaints of the browser: errors, refused content and requests to other servers. */
  readonly complaints: string[] = [];

  private constructor(fixture: ConsoleFixture, browser: Browser) {
    this.fixture = fixture;
    this.#browser = browser;
  }

  static async start(...given: Parameters<typeof ConsoleFixture.start>): Promise<ConsoleBrowser> {
    const [fixture, browser] = await Promise.all([ConsoleFixture.start(...given), launchBrowser()]);
    return new ConsoleBrowser(fixture, browser);
  }

  /** Opens a path of the server as a person who has logged in. */
  async open(path: string, person = "Bo Nilsen", options: BrowserContextOptions = {}) {
    const context = await this.fixture.open(this.#browser, person, options);
    const page = this.#watch(await context.newPage());
    await page.goto(`${this.fixture.url}${path}`);
    return { page, [Symbol.asyncDispose]: () => context.close() };
  }

  /** Opens an address without a login. */
  async openAsVisitor(address: string, options: BrowserContextOptions = {}) {
    const context = await this.#browser.newContext(options);
    const page = this.#watch(await context.newPage());
    await page.goto(address);
    return { page, [Symbol.asyncDispose]: () => context.close() };
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.fixture.stop();
  }

  #watch(page: Page): Page {
    const { complaints } = this;
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      const isOwn = request.url().startsWith(`${this.fixture.url}/`) || /^(file|data):/.test(request.url());
      if (!isOwn) complaints.push(request.url());
    });
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
    return page;
  }
}

/**
 * Presses these keys as one sequence, such as `g i`. The console accepts the second key only shortly after the first one,
 * so this function does not wait between them.
 */
export async function pressSequence(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/** Runs axe on a page, and returns its serious violations. */
export async function findSeriousViolations(page: Page): Promise<unknown[]> {
  // The content security policy of the page forbids added scripts, but not the debugger.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => [id, nodes.map(({ target, failureSummary }) => [target, failureSummary])]);
}
