import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { hasProgram } from "../optional-programs.ts";

/** Debian's own: nothing is downloaded. Elsewhere, name one in PARAPH_TEST_CHROMIUM. */
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
