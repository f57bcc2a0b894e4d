import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";

/** A Paraph whose console is measured, and the session cookie of the person who looks at it. */
export interface ConsoleSite {
  readonly url: string;
  readonly cookie: string;
}

/** One first load of the inbox, in a browser without a cache. */
export interface FirstLoad {
  /** The milliseconds from the navigation until the first request is in the list. */
  readonly usableMs: number;
  readonly bytes: number;
}

/** The function that records in the page when the first request appeared, and when each count of new ones did. */
const watchInbox = `(() => {
  const seen = (globalThis.benchSeen = { first: undefined, at: [] });
  const look = () => {
    const inbox = document.querySelector('section[aria-label="Inbox"]');
    if (!inbox) return;
    if (seen.first === undefined && inbox.querySelector("li")) seen.first = performance.now();
    const count = parseInt(inbox.querySelector("[aria-live]")?.textContent ?? "", 10) || 0;
    while (seen.at.length < count) seen.at.push(Date.now());
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
})()`;

export async function measureFirstLoad(browser: Browser, site: ConsoleSite): Promise<FirstLoad> {
  await using opened = await openInbox(browser, site);
  const { page } = opened;
  await page.evaluate("document.fonts.ready.then(() => true)");
  const usableMs = await page.evaluate<number>("benchSeen.first");
  return { usableMs, bytes: opened.readBytes() };
}

/**
 * Keeps the inbox open while `request` creates one request after another. Returns for each the milliseconds from the
 * moment before the request is sent until the page counts it.
 */
export async function measureUpdates(
  browser: Browser,
  site: ConsoleSite,
  rounds: number,
  request: (round: number) => Promise<unknown>,
): Promise<number[]> {
  await using opened = await openInbox(browser, site);
  const { page } = opened;
  const taken: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = Date.now();
    await request(round);
    const seen = await page.waitForFunction((place) => Reflect.get(globalThis, "benchSeen").at[place], round);
    taken.push(Number(await seen.jsonValue()) - from);
    // The next request must not arrive while the page still draws this one.
    await sleep(250);
  }
  return taken;
}

/** Returns the paths of all requests for calls that the page sends for these addresses. */
export async function listCallRequests(
  browser: Browser,
  site: ConsoleSite,
  addresses: readonly string[],
): Promise<string[]> {
  await using opened = await openPage(browser, site);
  const { page } = opened;
  const paths = new Set<string>();
  const isForCalls = (url: URL) => url.pathname === "/v1/calls";
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (isForCalls(url)) paths.add(`${url.pathname}${url.search}`);
  });
  for (const address of addresses) {
    // The list shows whole plans. The shell also asks for calls, to count unknown outcomes.
    const sent = page.waitForRequest((request) => {
      const url = new URL(request.url());
      return isForCalls(url) && url.searchParams.get("steps") === "false";
    });
    await page.goto(`${site.url}${address}`);
    await sent;
  }
  return [...paths];
}

async function openInbox(browser: Browser, site: ConsoleSite) {
  const opened = await openPage(browser, site);
  await opened.page.addInitScript(watchInbox);
  await opened.page.goto(`${site.url}/console/inbox`);
  await opened.page.getByText("Live", { exact: true }).waitFor();
  await opened.page.waitForFunction(() => Reflect.get(globalThis, "benchSeen").first);
  return opened;
}

async function openPage(
  browser: Browser,
  { url, cookie }: ConsoleSite,
): Promise<{ readonly page: Page; readBytes(): number } & AsyncDisposable> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const [name = "", value = ""] = cookie.split("=", 2);
  // Browsers treat loopback as secure, but Playwright sets this cookie only for an https URL.
  await context.addCookies([
    { name, value, url: url.replace("http:", "https:"), secure: true, httpOnly: true },
  ]);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  let bytes = 0;
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return { page, readBytes: () => bytes, [Symbol.asyncDispose]: () => context.close() };
}
