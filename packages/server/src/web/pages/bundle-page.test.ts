import { expect, it } from "vitest";
import { readText } from "../../../../../test/support/web/dom.ts";
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
