import { expect, it } from "vitest";
import { parseElements, readAttribute, readText } from "../../../../../test/support/web/dom.ts";
import { bundleResultSample, bundleSample } from "../testing/list-samples.ts";
import { fileChangeSample } from "../testing/samples.ts";
import { renderBundlePage, renderBundleResultPage } from "./bundle-page.ts";

it("[TRUST 6] shows check findings and effects that remain after an undo, as the page of one approval does", () => {
  const left = { step: "notify", call: "call_1", capability: "mail.send", reason: "no-undo" } as const;
  const sentence = "A password stands in `content`.";
  const checks = [{ check: "check.secrets", passed: false, findings: [{ code: "secret", sentence }] }];
  const items = [{ ...fileChangeSample, checks, notUndone: [left] }];
  const html = renderBundlePage({
    reader: "ana",
    principal: "bot",
    capability: "plan.apply",
    count: 1,
    more: false,
    items,
  });
  const words = readText(html).replace(/\s+/g, " ");
  expect(words).toContain(sentence);
  expect(words).toContain(
    "Effects that remain after this undo notify mail.send Its capability offers no undo.",
  );
});

it("the bundle says who edited a call, why approval is required and why the reader cannot approve it", () => {
  const { approve: _, ...forms } = fileChangeSample.forms;
  const own = {
    ...fileChangeSample,
    forms,
    editedBy: "bo",
    reader: { id: "bo", voterStatus: "own-edit" },
  } as const;
  const read = (item: typeof own | typeof fileChangeSample) =>
    readText(renderBundlePage({ ...bundleSample, count: 1, items: [item] })).replace(/\s+/g, " ");
  expect(read(own)).toContain("support-bot requested 1 call of");
  expect(read(own)).toContain("medium risk Write");
  expect(read(own)).toContain("bo edited the input.Two people approve deployments.");
  expect(read(own)).toContain("You cannot approve it: you edited it, so another person decides.");
  expect(read(fileChangeSample)).not.toContain("You cannot approve it");
});

it("the result of a bundle lists every call with what came of the decision", () => {
  const words = readText(renderBundleResultPage(bundleResultSample)).replace(/\s+/g, " ");
  for (const said of [
    "3 of 4 decisions recorded",
    "Refund €12.50 to Jon AshApproved The call may run now.",
    "Delete 12,431 rows of sessionApproved Waiting for more approvals.",
    "Update deploy/web.yamlDenied The call did not run.",
    "Update deploy/web.yamlNot recorded This approval is closed (denied). Nothing was changed.",
  ])
    expect(words).toContain(said);
});

it("the bundle names the calls that differ from most others, and shows a shared reason once", () => {
  const item = (approval: string, headline: string, cents: number) => ({
    ...fileChangeSample,
    approval,
    headline,
    input: { to: headline, cents },
  });
  const items = [item("ask_1", "Ada", 12), item("ask_2", "Di", 1200), item("ask_3", "Ed", 12)];
  const page = renderBundlePage({ ...bundleSample, count: 3, items });
  const words = readText(page).replace(/\s+/g, " ");
  expect(words).toContain("One call differs from the others: Di.");
  expect(words.match(/Differs from most of these calls in cents\./g)).toHaveLength(1);
  const link = parseElements(page).find((each) => readAttribute(each, "href") === "#item-ask_2");
  expect(link).toBeDefined();
  expect(words.match(/Two people approve deployments\./g)).toHaveLength(1);
  const others = items.map((one, index) => ({ ...one, guards: one.guards.slice(index === 0 ? 1 : 0) }));
  const apart = readText(renderBundlePage({ ...bundleSample, count: 3, items: others }));
  expect(apart.match(/Two people approve deployments\./g)).toHaveLength(2);
});

it("[TRUST 6] the bundle shows the unverified purpose of each call", () => {
  const items = [{ ...fileChangeSample, purpose: "The customer asks for 300 euros." }];
  const words = readText(renderBundlePage({ ...bundleSample, count: 1, items })).replace(/\s+/g, " ");
  expect(words).toContain("Purpose given by the requester (not verified) The customer asks for 300 euros.");
});
