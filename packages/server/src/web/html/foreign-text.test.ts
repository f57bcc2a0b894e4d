import type { Json } from "@paraph/core";
import { escapeInvisibleLines } from "@paraph/core/escape-invisible";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  filterByClass,
  parseElements,
  readAttribute,
  readText,
} from "../../../../../test/support/web/dom.ts";
import type { ApprovalPage } from "../page-data/approval-types.ts";
import { renderApprovalPage } from "../pages/approval-page.ts";
import { renderInboxPage } from "../pages/inbox-page.ts";
import { inboxSample } from "../testing/list-samples.ts";
import { fileChangeSample, hostileText } from "../testing/samples.ts";
import { renderCode, toPlainRuns } from "./code-block.ts";
import { parseDiff } from "./diff.ts";
import { html, renderForeign } from "./html.ts";
import { renderJson } from "./values.ts";

const named = (text: string) => escapeInvisibleLines(text).join("\n");

/** Generates texts with markup, bidi controls, zero-width characters, tags, ANSI sequences and arbitrary characters. */
const hostile = fc
  .array(
    fc.oneof(fc.constantFrom(...hostileText.split("\n")), fc.string({ unit: "binary", maxLength: 20 })),
    {
      maxLength: 5,
    },
  )
  .map((pieces) => pieces.join(""));

it("[TRUST 5] foreign text is shown in its visible form and adds no element of its own", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const { text: markup } = renderForeign(text);
      expect(readText(markup)).toBe(named(text));
      expect(new Set(parseElements(markup).map(({ tagName }) => tagName))).toBeOneOf([
        new Set(["bdi"]),
        new Set(["bdi", "mark"]),
      ]);
    }),
    { numRuns: 1_000 },
  );
});

it("[TRUST 5, 22] a template escapes every plain value, including values of attributes", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const [element, ...others] = parseElements(html`<p title="${text}">${text}</p>`.text);
      expect([element!.tagName, others.length, element!.attrs.length]).toEqual(["p", 0, 1]);
      expect([readAttribute(element!, "title"), readText(element!)]).toEqual([named(text), named(text)]);
    }),
    { numRuns: 1_000 },
  );
});

it("[TRUST 6] a code block contains every character, folded or whole", () => {
  const long = fc
    .tuple(hostile, fc.nat({ max: 300 }))
    .map(([text, times]) => `${text}\n`.repeat(times) + text);
  fc.assert(
    fc.property(long, fc.boolean(), fc.boolean(), (text, whole, isDiff) => {
      const { text: markup } = renderCode(isDiff ? parseDiff(text) : toPlainRuns(text), whole);
      const elements = parseElements(markup);
      expect(filterByClass(elements, "code").map(readText).join("")).toBe(named(text));
      if (whole) expect(elements.some(({ tagName }) => tagName === "details")).toBe(false);
    }),
    { numRuns: 200 },
  );
});

it("a value is shown as equivalent JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const shown = filterByClass(parseElements(renderJson(value as Json, true).text), "code").map(readText);
      expect(JSON.stringify(JSON.parse(shown.join("")))).toBe(JSON.stringify(value));
    }),
    { numRuns: 300 },
  );
});

it("[TRUST 5] foreign text in any field of the approval page is shown and adds no element", () => {
  const plainPage = listElements(renderApprovalPage(everywhere("word")));
  fc.assert(
    fc.property(hostile, (text) => {
      const page = renderApprovalPage(everywhere(text.replaceAll("\n", "")));
      expect(listElements(page)).toEqual(plainPage);
    }),
    { numRuns: 300 },
  );
  const page = renderApprovalPage(everywhere(hostileText));
  const shown = readText(page).split(named(hostileText)).length - 1;
  expect(shown).toBe(readText(renderApprovalPage(everywhere("§"))).split("§").length - 1);
});

it("[TRUST 5] foreign text in the inbox is shown and adds no element", () => {
  const list = (text: string) =>
    renderInboxPage({
      ...inboxSample,
      reader: text,
      items: [
        {
          ...inboxSample.items[0]!,
          headline: text,
          capability: text,
          contract: { risk: "high" },
          asker: { id: text },
        },
      ],
    });
  expect(listElements(list(hostileText))).toEqual(listElements(list("word")));
  expect(readText(list(hostileText))).toContain(named(hostileText));
});

/** Returns the elements of a page with their attributes, except for the `mark` elements. */
function listElements(page: string): string[] {
  return parseElements(page)
    .filter(({ tagName }) => tagName !== "mark")
    .map((element) => `${element.tagName} ${element.attrs.map(({ name }) => name).join(" ")}`);
}

function everywhere(text: string): ApprovalPage {
  return {
    ...fileChangeSample,
    reader: { id: text, voterStatus: "approver" },
    headline: text,
    capability: text,
    contract: { version: 1, summary: "Write a file", effect: "write", risk: "medium" },
    asker: { id: text, kind: "agent", owner: text, onBehalfOf: text },
    preview: { changes: [{ kind: "update", target: text, summary: text, diff: text }], basis: null },
    purpose: text,
    guards: [{ id: text, ruling: "ask", quorum: 2, urgency: "normal", sentence: text, group: text }],
    votes: [{ by: `${text} `, decision: "approve", as: "approver", at: fileChangeSample.now }],
    checks: [{ check: text, passed: false, findings: [{ code: text, path: text, sentence: text }] }],
    history: { outcomes: { succeeded: 1 } },
    masked: [text],
    reason: text,
  };
}
