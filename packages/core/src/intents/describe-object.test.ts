import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Capability, defineCapability } from "../capability/capability.ts";
import { type FoundObject, foundObjects } from "../capability/found-object.ts";
import type { Json } from "../json.ts";
import { understandWithGrammar } from "./grammar.ts";
import type { IntentAnswer, LookupResult } from "./understanding.ts";

const text = z.string().optional();
const terms = { version: 1, effect: "write", idempotency: "natural", apply: async () => null } as const;
const describedObject = { field: "event", finder: "calendar.find" };
const capabilities: readonly Capability[] = [
  defineCapability({
    ...terms,
    name: "calendar.find",
    summary: "Find events",
    effect: "read",
    input: z.strictObject({
      calendar: text,
      words: z.array(z.string()).optional(),
      day: z.iso.date().optional(),
      with: z.array(z.string()).optional(),
      timeZone: text,
    }),
    output: foundObjects,
    apply: async () => ({ objects: [], cut: false }),
  }),
  defineCapability({
    ...terms,
    name: "calendar.move",
    summary: "Move an event to another time",
    input: z.strictObject({
      calendar: z.string(),
      event: z.string(),
      start: z.string().describe("a local time in `timeZone`"),
      timeZone: text,
    }),
    output: z.null(),
    describedObject,
    news: ({ start }, { label }) => `Moved to ${start}: ${label}`,
  }),
  defineCapability({
    ...terms,
    name: "calendar.cancel",
    summary: "Cancel an event",
    input: z.strictObject({ calendar: z.string(), event: z.string() }),
    output: z.null(),
    describedObject,
  }),
  defineCapability({
    ...terms,
    name: "mail.move",
    summary: "Move a message to a folder",
    input: z.strictObject({ message: z.string(), folder: z.string() }),
    output: z.null(),
  }),
  defineCapability({
    ...terms,
    name: "mail.tell",
    summary: "Tell a group what changed",
    input: z.strictObject({ group: z.enum(["team", "board"]), news: z.string().min(1) }),
    output: z.null(),
  }),
];
/** A Wednesday. */
const now = Date.UTC(2026, 10, 18, 12);
const timeZone = "Europe/Berlin";
const review: FoundObject = {
  label: "“Review”, Thu 19 Nov 2026, 10:00",
  day: "2026-11-19",
  input: { calendar: "bo", event: "review.ics" },
};
const otherReview: FoundObject = {
  label: "“Code review”, Thu 19 Nov 2026, 11:00",
  day: "2026-11-19",
  input: { calendar: "bo", event: "code.ics" },
};

interface Options {
  readonly objects?: readonly FoundObject[] | undefined;
  readonly answers?: readonly IntentAnswer[];
  readonly known?: readonly Capability[];
  readonly zone?: string;
}

/** Understands the words, and again with the objects that the lookup found. */
function understand(
  words: string,
  { objects, answers = [], known = capabilities, zone = timeZone }: Options = {},
) {
  const request = { words, now, timeZone: zone, capabilities: known, answers };
  const first = understandWithGrammar(request);
  if (first.kind !== "lookup") return { first, result: first };
  const found = first.lookups.map(({ step }): LookupResult => ({ step, objects }));
  return { first, result: understandWithGrammar({ ...request, found }) };
}

function planOf(words: string, options: Options): unknown {
  const { result } = understand(words, options);
  if (result.kind !== "plan") return result;
  return result.plan.steps.map(({ capability, input }) => [
    capability,
    (input as { $literal: Json }).$literal,
  ]);
}

const request = "move tomorrow's review with Ana to the afternoon and tell the team";
const moved = { calendar: "bo", event: "review.ics", start: "2026-11-19T15:00", timeZone };

describe("words that describe an object", () => {
  it.each([
    [request, { words: ["review"], day: "2026-11-19", with: ["Ana"], timeZone }],
    ["Verschiebe das Review mit Ana von morgen auf den Nachmittag", undefined],
    ["Cancel Friday’s meeting with Ana", { day: "2026-11-20", with: ["Ana"], timeZone }],
    ['Cancel the "Q3 review" tomorrow', { words: ["Q3 review"], day: "2026-11-19", timeZone }],
  ])(
    "lead to a lookup: %s",
    (words, input = { words: ["Review"], day: "2026-11-19", with: ["Ana"], timeZone }) => {
      expect(understand(words).first).toEqual({
        kind: "lookup",
        lookups: [{ step: 1, capability: "calendar.find", input }],
      });
    },
  );

  it("become one question if only the exact time is missing, and its answer completes the plan", () => {
    const { result } = understand(request, { objects: [review] });
    expect(result).toMatchObject({
      steps: [{ capability: "calendar.move", object: review.label }, { capability: "mail.tell" }],
      questions: [
        {
          code: "field-missing",
          step: 1,
          field: "start",
          message: "At what time in the afternoon of 2026-11-19 is `start`?",
        },
      ],
    });
    for (const value of ["15:00", "3 pm", "tomorrow at 15:00", "2026-11-19T15:00"])
      expect(planOf(request, { objects: [review], answers: [{ step: 1, field: "start", value }] })).toEqual([
        ["calendar.move", moved],
        ["mail.tell", { group: "team", news: `Moved to 2026-11-19T15:00: ${review.label}` }],
      ]);
  });

  it("that name another day keep it if an answer names only the time", () => {
    const words = "move tomorrow's review to monday afternoon";
    expect(understand(words, { objects: [review] }).result).toMatchObject({
      questions: [{ message: "At what time in the afternoon of 2026-11-23 is `start`?" }],
    });
    const answers = [{ step: 1, field: "start", value: "15:00" }];
    expect(planOf(words, { objects: [review], answers })).toEqual([
      ["calendar.move", { ...moved, start: "2026-11-23T15:00" }],
    ]);
  });

  it("become a plan at once if they name the time", () => {
    expect(planOf("move tomorrow's review to 15:00", { objects: [review] })).toEqual([
      ["calendar.move", moved],
    ]);
    expect(planOf("move the review to friday at 15:00", { objects: [review] })).toEqual([
      ["calendar.move", { ...moved, start: "2026-11-20T15:00" }],
    ]);
  });

  it("become a question if several objects fit, and the answer names a part of one label", () => {
    const objects = [review, otherReview];
    const { result } = understand("cancel tomorrow's review", { objects });
    expect(result).toMatchObject({
      questions: [{ code: "object-ambiguous", options: [review.label, otherReview.label] }],
    });
    const choose = (value: string) => ({ objects, answers: [{ step: 1, field: "$object", value }] });
    expect(planOf("cancel tomorrow's review", choose("11:00"))).toEqual([
      ["calendar.cancel", { calendar: "bo", event: "code.ics" }],
    ]);
    for (const value of ["Thu", "nothing"])
      expect(understand("cancel tomorrow's review", choose(value)).result).toMatchObject({
        questions: [{ code: "object-ambiguous" }],
      });
  });

  it.each([[[]], [undefined]])("become a question if the lookup gives %j", (objects) => {
    expect(understand("cancel tomorrow's review", { objects }).result).toMatchObject({
      questions: [{ code: "object-unknown" }],
    });
  });

  it.each([
    ["a condition", "move tomorrow's review unless Ana is ill to 15:00", "negated"],
    ["two days", "cancel tomorrow's review today", "words-unclear"],
    ["two times", "calendar.move tomorrow's review to 15:00 16:00", "words-unclear"],
    ["an unknown step", "move tomorrow's review to 15:00 and then sing", "capability-unclear"],
  ])("with %s lead to no lookup", (_, words, code) => {
    expect(understand(words).first).toMatchObject({ kind: "question", questions: [{ code }] });
  });

  it("ask for the day alone if the time zone is unknown", () => {
    const { result } = understand(request, { zone: "" });
    expect(result).toMatchObject({ questions: [{ code: "value-ambiguous", field: "day", step: 1 }] });
  });

  it("find nothing without the finder, because its capability does not exist for the requester", () => {
    const known = capabilities.filter(({ contract }) => contract.name !== "calendar.find");
    expect(understand("cancel tomorrow's review", { known }).result).toMatchObject({ kind: "question" });
  });

  it("do not describe the object of words that name it", () => {
    const words = "calendar.cancel calendar bo event review.ics";
    expect(planOf(words, {})).toEqual([["calendar.cancel", { calendar: "bo", event: "review.ics" }]]);
  });
});

describe("a step that tells a group", () => {
  it("about nothing asks what to tell, and takes a quoted text", () => {
    expect(understand("tell the team").result).toMatchObject({ questions: [{ field: "news" }] });
    expect(planOf('tell the team "Lunch is ready"', {})).toEqual([
      ["mail.tell", { group: "team", news: "Lunch is ready" }],
    ]);
  });

  it("asks what to tell if an earlier step has no news", () => {
    const words = "cancel tomorrow's review and tell the team";
    expect(understand(words, { objects: [review] }).result).toMatchObject({
      questions: [{ step: 2, code: "field-missing", field: "news" }],
    });
  });

  it("asks which group, if the configuration has none of this name", () => {
    expect(understand('tell the office "Lunch is ready"').result).toMatchObject({ kind: "question" });
  });
});
