import { expect, it } from "vitest";
import { readText } from "../../../../../test/support/web/dom.ts";
import { fileChangeSample } from "../testing/samples.ts";
import { renderBundlePage } from "./bundle-page.ts";

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
