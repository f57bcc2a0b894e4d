import { expect, it } from "vitest";
import { parseElements, readAttribute, readText } from "../../../../../test/support/web/dom.ts";
import { unknownsSample } from "../testing/list-samples.ts";
import { renderUnknownsPage } from "./unknowns-page.ts";

it("[P7] a plan with an unknown outcome comes after its steps and shows what came of each, without a retry", () => {
  const [mail, plan] = unknownsSample.items;
  const html = renderUnknownsPage({ ...unknownsSample, items: [plan!, mail!] });
  const words = readText(html).replace(/\s+/g, " ");
  expect(words).toMatch(/Send a mail to ana@example\.org.*and 6 more steps/);
  expect(words).toContain("3 Update deploy/jobs.yamlLeft out: approvers approved the other steps only.");
  expect(words).toContain("2 Update deploy/api.yamlOutcome: failed disk-full.");
  // A retry would perform the steps that succeeded a second time.
  const retries = parseElements(html).filter((each) => readAttribute(each, "value") === "retry");
  expect(retries).toHaveLength(1);
});
