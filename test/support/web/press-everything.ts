import type { BrowserContext } from "playwright-core";

const controls = "a, button, summary";

/**
 * Opens the addresses as a scanner of links does, follows each link and presses each button, also on the pages to which
 * these lead. Returns the paths of all pages.
 */
export async function pressEverything(
  context: BrowserContext,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const page = await context.newPage();
  const open = async (address: string) => {
    await page.goto(address);
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
  };
  const paths = new Set<string>();
  const left = [...addresses];
  for (let address = left.shift(); address !== undefined; address = left.shift()) {
    for (let index = 0; ; index += 1) {
      // A press can change the page, so the controls are counted again.
      await open(address);
      paths.add(new URL(page.url()).pathname);
      if (index >= (await page.locator(controls).count())) break;
      await page.locator(controls).nth(index).click({ force: true });
      await page.waitForLoadState();
      const { pathname } = new URL(page.url());
      if (!paths.has(pathname)) left.push(page.url());
      paths.add(pathname);
    }
  }
  return paths;
}
