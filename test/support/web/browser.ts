import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { hasProgram } from "../optional-programs.ts";

// The tests run Debian's own packages, so they download nothing. Set PARAPH_TEST_CHROMIUM on other systems.
const { PARAPH_TEST_CHROMIUM: configured } = process.env;
const wholeBrowser = configured ?? "/usr/bin/chromium";
/** The same engine without push. It needs a third of the processor time. */
const headlessShell = "/usr/bin/chromium-headless-shell";

export const hasBrowser = hasProgram(
  existsSync(wholeBrowser),
  `A browser at ${wholeBrowser}`,
  "apt-get install -y chromium chromium-headless-shell, or set PARAPH_TEST_CHROMIUM",
);

export async function launchBrowser({ needsPush = false } = {}): Promise<Browser> {
  const isShell = !needsPush && configured === undefined && existsSync(headlessShell);
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const browser = await chromium.launch({
    executablePath: isShell ? headlessShell : wholeBrowser,
    args: ["--no-sandbox", "--disable-gpu", ...quiet],
  });
  // Playwright's own limit of 30 seconds fails a test on a busy machine. This one only stops hanging tests.
  browser.on("context", (context) => context.setDefaultTimeout(120_000));
  return browser;
}
