import type { Call, Preview } from "@paraph/core";
import { escapeInvisibleLines } from "@paraph/core/escape-invisible";
import { describe, expect, it } from "vitest";
import { parseElements, readAttribute, readText } from "../../../../../test/support/web/dom.ts";
import type { ApprovalPage, PagePlan, PageStep } from "../page-data/approval-types.ts";
import { buildPagePlan } from "../page-data/plan-page.ts";
import { pages } from "../pages/index.ts";
import * as planSamples from "../testing/plan-samples.ts";
import * as samples from "../testing/samples.ts";
import { renderStepNumbers } from "./plan-section.ts";

const words = (html: string) => readText(html).replace(/\s+/g, " ");
const inputs = (page: ApprovalPage) =>
  parseElements(pages.approval(page))
    .filter((each) => readAttribute(each, "name")?.startsWith("step:"))
    .map((each) => [readAttribute(each, "name"), readAttribute(each, "type"), readAttribute(each, "form")]);
const withSteps = (...steps: Partial<PageStep>[]): ApprovalPage => ({
  ...planSamples.openedPlanSample,
  plan: {
    ...planSamples.openedPlanSample.plan!,
    steps: steps.map((step) => ({ ...planSamples.openedPlanSample.plan!.steps[0]!, ...step })),
  },
});

describe("the page of a plan", () => {
  it("[P13] has a checkbox per step in the decision form, and a hidden field for a step already left out", () => {
    const ids = planSamples.openedPlanSample.plan!.steps.map(({ id }) => id);
    expect(inputs(planSamples.openedPlanSample)).toEqual(
      ids.map((id) => [`step:${id}`, id === "jobs" ? "hidden" : "checkbox", "decision"]),
    );
    expect(inputs(planSamples.planSample)).toEqual([]);
    expect(inputs({ ...planSamples.openedPlanSample, forms: { deny: "shown" } })).toEqual([]);
    const form = parseElements(pages.approval(planSamples.openedPlanSample)).find(
      (each) => readAttribute(each, "id") === "decision",
    );
    expect(readAttribute(form!, "action")).toBe(
      `/approvals/${planSamples.openedPlanSample.approval}/decision`,
    );
  });

  it("hides the details of a step that only other approvers can see", () => {
    const hidden = { hidden: true, input: "•••", changes: [{ kind: "other", target: "canary" }] } as const;
    const page = words(pages.approval(withSteps(hidden)));
    expect(page).toContain("Only approvers of this step can see its details.");
    expect(page).not.toContain("canary");
  });

  it("[TRUST 6] says that the cost of a step is hidden if it equals a sensitive value", () => {
    const step = { capability: "a.b", changes: 0, inputKnown: true, previewed: true, dependsOn: [] };
    const steps = ["•••", 250].map((cost, index) => ({ ...step, id: `s${index}`, cost }));
    const preview = { changes: [], basis: {}, steps } as unknown as Preview;
    const call = { events: [], payloads: { preview: { salt: "", value: preview } } } as unknown as Call;
    const looking = { steps: [], findContract: () => undefined, editHref: undefined };
    const plan = buildPagePlan(call, { preview }, looking)!;
    const page = words(pages.approval({ ...planSamples.openedPlanSample, plan }));
    expect(page).toContain("costs up to 250 in minor units, 1 with a hidden cost");
    expect(page).toContain("The cost is hidden, because it equals a sensitive value.");
  });

  it("[TRUST 6] hides the details of a critical plan until the approver opens them, and asks for their review", () => {
    const page = pages.approval(planSamples.planSample);
    expect(words(page)).toContain("This plan has critical risk. Review all details before you approve.");
    expect(words(page)).not.toContain("imagePullPolicy");
    expect(words(pages.approval(planSamples.openedPlanSample))).toContain("imagePullPolicy");
  });

  it("[TRUST 5] untrusted text adds no HTML element anywhere in a plan", () => {
    const said = samples.hostileText;
    const steps = [
      {
        id: said,
        capability: said,
        summary: said,
        input: { [said]: said },
        dependsOn: [said],
        after: [said],
      },
      { declinedBy: [said], changes: [{ kind: "update", target: said, summary: said, diff: said }] } as const,
      { status: "closed", outcome: { kind: "failed", code: said } } as const,
    ];
    const page = withSteps(...steps);
    const hostile = {
      ...page,
      plan: { ...page.plan!, title: said },
      parent: { step: said, href: "/calls/x" },
    };
    const names = parseElements(pages.approval(hostile)).map(({ tagName }) => tagName);
    for (const name of ["script", "img", "style", "b", "iframe"]) expect(names).not.toContain(name);
    expect(readText(pages.approval(hostile))).toContain(escapeInvisibleLines(said).join("\n").slice(0, 40));
  });

  it("names steps by their numbers and ranges", () => {
    const plan: PagePlan = { steps: withSteps(...[..."abcdefg"].map((id) => ({ id }))).plan!.steps };
    const told = (ids: string) => words(renderStepNumbers([...ids], plan).text);
    expect([told("a"), told("ab"), told("abc"), told("abcg"), told("aceg"), told("abcdefg")]).toEqual([
      ...[
        "step 1",
        "steps 1 and 2",
        "steps 1 to 3",
        "steps 1 to 3 and 7",
        "steps 1, 3, 5 and 7",
        "every step",
      ],
    ]);
  });
});
