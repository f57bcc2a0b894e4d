// Takes the screenshots in docs/screenshots from the samples of pages and mails with `npm run screenshots`. With a folder
// as argument, it takes every page and mail at every width, light and dark, for review, and mails also without their
// style sheet, which some mail clients remove.
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sampleMails } from "../packages/server/src/channels/mail/testing/samples.ts";
import { composeCall } from "../packages/server/src/channels/slack/compose-message.ts";
import { highRiskSample } from "../packages/server/src/channels/slack/testing/sample.ts";
import { pages } from "../packages/server/src/web/pages/index.ts";
import * as listSamples from "../packages/server/src/web/testing/list-samples.ts";
import * as planSamples from "../packages/server/src/web/testing/plan-samples.ts";
import * as samples from "../packages/server/src/web/testing/samples.ts";
import { renderSlack } from "../test/support/slack-html.ts";
import { hasBrowser, launchBrowser } from "../test/support/web/browser.ts";

const sizes = {
  phone: [390, 844, 2],
  tablet: [768, 1024, 1],
  desk: [1280, 860, 1],
  "mail-narrow": [320, 568, 1],
  "mail-wide": [640, 736, 2],
} as const;
const pageSizes = ["phone", "tablet", "desk"] as const;
const mailSizes = ["mail-narrow", "mail-wide"] as const;
const pictures = [
  ["refund-opened", "phone", "light", pages.approval(samples.openedRefundSample)],
  ["inbox", "desk", "light", pages.inbox(listSamples.inboxSample)],
  ["plan", "phone", "light", pages.approval(planSamples.planSample)],
  ["unknowns", "desk", "light", pages.unknowns(listSamples.unknownsSample)],
  ["refund", "mail-wide", "light", sampleMails.refund ?? ""],
] as const;
type Picture = readonly [name: string, size: keyof typeof sizes, scheme: "light" | "dark", markup: string];

if (!hasBrowser) process.exit(1);
const outputFolder = process.argv[2];
const folder = outputFolder ?? "docs/screenshots";
const slackMessage = renderSlack(composeCall(highRiskSample, "acme").blocks);
const reviewed: readonly Picture[] = [...pictures, ["slack-message", "tablet", "light", slackMessage]];
const wanted: readonly Picture[] = outputFolder === undefined ? pictures : listAllVariants(reviewed);
mkdirSync(folder, { recursive: true });
const server = createServer((request, response) => {
  const isStyle = request.url === pages.stylesheetPath;
  response.setHeader("content-type", `text/${isStyle ? "css" : "html"}; charset=utf-8`);
  response.end(isStyle ? pages.stylesheet : wanted[Number(request.url?.slice(1))]?.[3]);
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const browser = await launchBrowser();
for (const [index, [name, size, colorScheme]] of wanted.entries()) {
  const [width, height, deviceScaleFactor] = sizes[size];
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor, colorScheme });
  await page.goto(`http://127.0.0.1:${port}/${index}`);
  await page.screenshot({
    path: `${folder}/${name}-${size}-${colorScheme}.png`,
    fullPage: outputFolder !== undefined,
  });
  await page.close();
}
await browser.close();
server.close();

function listAllVariants(some: readonly Picture[]): readonly Picture[] {
  const pageMarkup = some.filter(([, size]) => !isMailSize(size)).map(([name, , , markup]) => [name, markup]);
  const mails = Object.entries(sampleMails).flatMap(([name, markup]) => [
    [name, markup],
    [`${name}-plain`, markup.replace(/<style>.*?<\/style>/s, "")],
  ]);
  return [...listVariants(pageMarkup, pageSizes), ...listVariants(mails, mailSizes)];
}

function listVariants(
  some: readonly (readonly string[])[],
  variants: readonly (keyof typeof sizes)[],
): readonly Picture[] {
  return some.flatMap(([name = "", markup = ""]) =>
    variants.flatMap((size) =>
      (["light", "dark"] as const).map((scheme) => [name, size, scheme, markup] as const),
    ),
  );
}

function isMailSize(size: keyof typeof sizes): boolean {
  return mailSizes.some((one) => one === size);
}
