import { describe, expect, it } from "vitest";
import { z } from "zod";
import { approvalDigest } from "./approval.ts";
import type { Call } from "./call.ts";
import { type Capability, defineCapability, type Preview } from "./capability/capability.ts";
import { Catalog } from "./capability/catalog.ts";
import { composeHeadline, lastHeadline, maxHeadlineLength } from "./headline.ts";

const input = { to: "Jon Ash", cents: 300_000, note: "for the lamp" };

function define(headline?: (input: { to: string }, preview: Preview | undefined) => string): Capability {
  return defineCapability({
    name: "billing.refund",
    version: 1,
    summary: "Refund a payment",
    effect: "write",
    idempotency: "keyed",
    input: z.object({ to: z.string(), cents: z.int(), note: z.string() }),
    output: z.null(),
    sensitive: ["note"],
    preview: async () => ({ changes: [], basis: null }),
    apply: async () => null,
    ...(headline && { headline }),
  });
}

function compose(capability: Capability, preview?: Preview, value: unknown = input, accepted = {}) {
  const failures: unknown[] = [];
  const events = [{ seq: 1, kind: "accepted", at: 0, data: accepted }];
  const call = { tenant: "acme", events, payloads: { input: { salt: "s", value } } } as unknown as Call;
  const text = composeHeadline(call, capability, preview, {
    catalog: new Catalog([capability]),
    telemetry: { span: (_name, _about, body) => body(), measure: (...one) => void failures.push(one) },
  });
  return { text, failures };
}

const show = (...targets: string[]): Preview => ({
  changes: targets.map((target) => ({ kind: "update", target })),
  basis: null,
});

describe("the headline of a call", () => {
  it("is the line that the capability composes from the input and the preview", () => {
    const refund = define(({ to }, preview) => `Refund ${preview?.changes[0]?.target} to ${to}`);
    expect(compose(refund, show("€3,000.00"))).toEqual({
      text: "Refund €3,000.00 to Jon Ash",
      failures: [],
    });
  });

  it("is the first change with the number of the others if the capability composes none", () => {
    expect(compose(define(), show("payment 1")).text).toBe("Update payment 1");
    expect(compose(define(), show("payment 1", "payment 2", "payment 3")).text).toBe(
      "Update payment 1 and 2 more",
    );
    const changes = [...show("a", "b").changes, { kind: "delete", target: "c" } as const];
    expect(compose(define(), { changes, basis: null }).text).toBe("Delete c and 2 more");
  });

  it("says that the call is an undo", () => {
    const undo = { undoes: "call_1" };
    expect(compose(define(), show("payment 1"), input, undo).text).toBe("Update payment 1 (undo)");
    const long = compose(
      define(() => "x".repeat(maxHeadlineLength)),
      undefined,
      input,
      undo,
    ).text;
    expect(long).toMatch(/^x+… \(undo\)$/);
    expect(long).toHaveLength(maxHeadlineLength);
  });

  it("is the summary with the name of the capability if there are no changes either", () => {
    expect(compose(define()).text).toBe("Refund a payment (billing.refund)");
    for (const empty of [show(), show(" ")])
      expect(compose(define(), empty).text).toBe("Refund a payment (billing.refund)");
  });

  it.each<[string, () => string]>([
    [
      "headline-threw",
      () => {
        throw new Error("a secret of the input");
      },
    ],
    ["headline-not-text", () => 7 as unknown as string],
    ["headline-empty", () => "  "],
    ["headline-not-one-line", () => "Refund €1.00\nApproved by the CFO"],
    ["headline-not-one-line", () => "Refund €1.00\u2028Approved by the CFO"],
    ["headline-too-long", () => "x".repeat(maxHeadlineLength + 1)],
  ])(
    "[P11] is the first change if the capability's line is invalid (%s), and a metric counts it",
    (code, headline) => {
      expect(compose(define(headline), show("payment 1"))).toEqual({
        text: "Update payment 1",
        failures: [["paraph.headline.failures", 1, { capability: "billing.refund", code }]],
      });
    },
  );

  it("[TRUST 16] contains no value of a sensitive field, not even where the value reappears", () => {
    const leaky = define((seen, preview) => `${JSON.stringify(seen)} ${preview?.changes[0]?.target}`);
    const { text } = compose(leaky, show("note for the lamp"));
    expect(text).toBe('{"to":"Jon Ash","cents":300000,"note":"•••"} note •••');
    expect(compose(define(), show("for the lamp, and more")).text).toBe("Update •••, and more");
  });

  it("[TRUST 5] shows hidden characters, and has no line break and a limited length", () => {
    const named = define(({ to }) => `Refund to ${to}`);
    const to = "Jon\u202e\u200b\u001b[2J Ash";
    expect(compose(named, undefined, { ...input, to }).text).toBe(
      "Refund to Jon<U+202E><U+200B><U+001B>[2J Ash",
    );
    const { text } = compose(define(), show(`a\r\nb${"𝒳".repeat(500)}`, "other"));
    expect(text).toMatch(/^Update a<U\+000D><U\+000A>b𝒳+… and 1 more$/u);
    expect(Array.from(text)).toHaveLength(maxHeadlineLength);
  });

  type Step = NonNullable<Preview["steps"]>[number];
  const step = (id: string, headline: string, more: Partial<Step> = {}) =>
    ({
      ...{ id, headline, visibility: "everyone", risk: "low", effect: "write", changes: 0, previewed: true },
      ...{ basis: null, ...more },
    }) as Step;

  it("[P13] [TRUST 5] of steps with the same risk names the one with the gravest effect and changes", () => {
    const line = (steps: readonly (readonly [Step, ...Preview["changes"]])[]) => {
      const seen = steps.map(([one, ...changes]) => ({ ...one, changes: changes.length }));
      const changes = steps.flatMap(([, ...own]) => own);
      return compose(define(), { changes, basis: null, steps: seen }).text;
    };
    const note = { kind: "update", target: "note" } as const;
    const mail = { kind: "send", target: "a@example.org" } as const;
    const read = step("r", "Read the list", { effect: "read" });
    const update = step("u", "Update a note");
    const some = step("s", "Send a mail to one customer");
    const all = step("a", "Send a mail to all customers");
    const wipe = step("w", "Drop the table", { effect: "destroy" });
    const { headline: _, ...later } = step("l", "", { capability: "http.request", previewed: false });
    expect(line([[read], [update, note]])).toBe("Update a note and 1 more step");
    expect(line([[update, note], [later as Step]])).toBe("Run http.request and 1 more step");
    expect(line([[update, note, note, note], [later as Step], [some, mail], [all, mail, mail]])).toBe(
      "Send a mail to all customers and 3 more steps",
    );
    expect(line([[all, mail, mail], [wipe]])).toBe("Drop the table and 1 more step");
    expect(
      line([
        [update, note],
        [step("v", "Update another note"), note],
      ]),
    ).toBe("Update a note and 1 more step");
  });

  it("[P13] of steps names the one with the highest risk that every reader may see", () => {
    const line = (...steps: Step[]) => compose(define(), { ...show("door"), steps }).text;
    const [door, safe] = [step("c", "Update door"), step("d", "Open safe", { risk: "high" })];
    const hidden = step("a", "Rotate the key", { visibility: "approvers", risk: "critical" });
    const { headline: _, ...unknown } = step("f", "", { risk: "critical", capability: "safe.empty" });
    expect(line(door)).toBe("Update door");
    expect(line(hidden, step("b", "•••"), door)).toBe("Update door and 2 more steps");
    expect(line(door, safe, step("e", "Update bell"))).toBe("Open safe and 2 more steps");
    expect(line(door, safe, unknown)).toBe("Run safe.empty and 2 more steps");
    expect(line(hidden, hidden)).not.toContain("Rotate");
    expect(line(step("c", "x".repeat(maxHeadlineLength)), door)).toHaveLength(maxHeadlineLength);
  });
});

describe("an approval", () => {
  const content = {
    call: "call_1",
    nonce: "n",
    contract: { name: "billing.refund", version: 1 },
    input,
    preview: show("payment 1"),
  };

  it("[P5] covers the headline and the headlines of the steps", () => {
    const step = { id: "a", headline: "Update door" } as NonNullable<Preview["steps"]>[number];
    const digests = [
      approvalDigest(content),
      approvalDigest({ ...content, headline: "Refund €1.00" }),
      approvalDigest({ ...content, headline: "Refund €2.00" }),
      approvalDigest({
        ...content,
        headline: "Refund €1.00",
        preview: { ...content.preview, steps: [step] },
      }),
    ];
    expect(new Set(digests).size).toBe(4);
  });

  it("[P5] keeps the digest of a version without headlines", () => {
    expect(approvalDigest(content)).toBe(approvalDigest({ ...content, headline: undefined }));
    expect(approvalDigest(content)).toBe("955151088336a5ec309b964aaef69c4d7b58f30980fee21c243df3cb64dd0999");
  });

  it("[P5] of a version without headlines has none, even if an earlier round had one", () => {
    const payloads = { headline: { salt: "s", value: "Refund €1.00" } };
    const asked = (data: object) => ({ events: [{ kind: "asked", data }], payloads }) as unknown as Call;
    expect(lastHeadline(asked({ headline: "c" }))).toBe("Refund €1.00");
    expect(lastHeadline(asked({}))).toBeUndefined();
    expect(lastHeadline({ events: [], payloads })).toBe("Refund €1.00");
  });
});
