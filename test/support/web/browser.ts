import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { hasProgram } from "../optional-programs.ts";

/**
 * The Chromium that the tests run. The default is Debian's own package, so that tests download nothing. Set
 * PARAPH_TEST_CHROMIUM on other systems.
 */
const executablePath = process.env.PARAPH_TEST_CHROMIUM ?? "/usr/bin/chromium";

export const hasBrowser = hasProgram(
  existsSync(executablePath),
  `A browser at ${executablePath}`,
  "apt-get install -y chromium, or set PARAPH_TEST_CHROMIUM",
);

export function launchBrowser(): Promise<Browser> {
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", ...quiet] });
}
