// Builds the site and opens it in a browser. CI runs this file as a stage of its own: PARAPH_TEST_SITE=1.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemTypes } from "../../packages/server/src/http/problem-types.ts";
import { hasBrowser, launchBrowser } from "../support/web/browser.ts";
import { root } from "./code-blocks.ts";

const dist = join(root, "site/dist");
const maxPageBytes = 300_000;
const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".png": "image/png",
};
const samples = [
  ...["/", "/start/quickstart/", "/guides/policy-cookbook/", "/connect/claude-code/", "/reference/cli/"],
  ...[
    "/reference/errors/",
    "/reference/configuration/",
    "/explain/life-of-a-call/",
    "/explain/threat-model/",
  ],
];

describe.runIf(process.env.PARAPH_TEST_SITE && hasBrowser)("the site", () => {
  let server: Server;
  let origin: string;
  let browser: Browser;

  beforeAll(async () => {
    // The build fails if a link or an anchor does not exist.
    await promisify(execFile)("npm", ["run", "build", "--prefix", "site"], { cwd: root, maxBuffer: 1e8 });
    server = createServer(({ url = "/" }, response) => {
      const path = join(dist, new URL(url, "http://localhost").pathname);
      const file = path.endsWith("/") ? `${path}index.html` : path;
      const isFound = existsSync(file) && statSync(file).isFile();
      const type = contentTypes[extname(file)] ?? "";
      // Compresses text as web servers do, because the weight of a page is what the network carries.
      const isText = /^text|svg/.test(type);
      response.writeHead(isFound ? 200 : 404, {
        "content-type": type,
        ...(isText && isFound && { "content-encoding": "gzip" }),
      });
      if (isFound && isText) createReadStream(file).pipe(createGzip()).pipe(response);
      else if (isFound) createReadStream(file).pipe(response);
      else response.end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("has a page for every problem code, at the path of the code's URL", () => {
    const missing = Object.keys(problemTypes).filter(
      (code) => !existsSync(join(dist, "docs/errors", code, "index.html")),
    );
    expect(missing).toEqual([]);
  });

  it("can be searched", () => {
    expect(readdirSync(join(dist, "pagefind"))).toContain("pagefind.js");
  });

  it.each(
    samples.flatMap((path) => [
      { path, colorScheme: "light" as const, width: 1280, height: 900 },
      { path, colorScheme: "dark" as const, width: 390, height: 844 },
    ]),
  )(
    "$path ($colorScheme, $width px): axe finds no violation, nothing overflows, is distorted or fails, and the page is light",
    async ({ path, colorScheme, width, height }) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height } });
      const failures: string[] = [];
      const sizes: Promise<number>[] = [];
      page.on("console", (message) => message.type() === "error" && failures.push(message.text()));
      page.on("pageerror", (error) => failures.push(error.message));
      page.on("request", (request) => {
        if (!request.url().startsWith(origin)) failures.push(`external request: ${request.url()}`);
      });
      page.on("requestfinished", (request) => {
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
      });
      await page.goto(origin + path, { waitUntil: "networkidle" });
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run({ resultTypes: ["violations"] })');
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      const layout = await page.evaluate<unknown>(`({
        overflow: document.documentElement.scrollWidth - innerWidth,
        isTitleVisible: document.querySelector("h1").getBoundingClientRect().bottom < innerHeight,
        distorted: [...document.images]
          .filter((image) => image.naturalWidth > 0)
          .filter(({ width, height, naturalWidth, naturalHeight }) =>
            Math.abs((width * naturalHeight) / (height * naturalWidth) - 1) > 0.03)
          .map(({ src }) => src),
      })`);
      await page.close();
      expect({ found, failures }).toEqual({ found: [], failures: [] });
      expect(layout).toEqual({ overflow: 0, isTitleVisible: true, distorted: [] });
      expect(bytes).toBeLessThan(maxPageBytes);
    },
  );
});
