import { expect, it } from "vitest";
import { textOf } from "../../../../../test/dom.ts";
import { bundleHtml } from "./bundle.ts";
import { fileChange } from "./testing/samples.ts";

it("[TRUST 6] shows check findings and what an undo leaves, as the page of one question does", () => {
  const left = { step: "notify", call: "call_1", capability: "mail.send", reason: "no-undo" } as const;
  const sentence = "A password stands in `content`.";
  const checks = [{ check: "check.secrets", passed: false, findings: [{ code: "secret", sentence }] }];
  const items = [{ ...fileChange, checks, notUndone: [left] }];
  const html = bundleHtml({
    reader: "ana",
    principal: "bot",
    capability: "plan.apply",
    count: 1,
    more: false,
    items,
  });
  const words = textOf(html).replace(/\s+/g, " ");
  expect(words).toContain(sentence);
  expect(words).toContain("Stays after this undo notify mail.send Its capability offers no undo.");
});
