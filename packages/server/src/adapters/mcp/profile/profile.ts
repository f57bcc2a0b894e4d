import { effects, risks } from "@paraph/core";
import { z } from "zod";
import { listRoots } from "./template.ts";

const durationText = z.templateLiteral([z.number(), z.enum(["ms", "s", "m", "h"])]);
const json = z.json();

const readRecipe = z.strictObject({
  tool: z.string().describe("the server's name of the tool that is asked"),
  arguments: z.record(z.string(), json).default({}).describe("with places for values: `{input.path}`"),
  absent: z
    .string()
    .optional()
    .describe("words of an error that says there is nothing there, which is then no error"),
  when: z.string().optional().describe("a place for a value: without one there is nothing to ask about"),
  basis: z
    .enum(["answer", "existence", "nothing"])
    .default("answer")
    .describe("what of it an approval rests on: the whole answer, whether there is anything, or nothing"),
  dry: z
    .literal(true)
    .optional()
    .describe("these arguments have the tool only say what it would do, though it is no read"),
});
export type ReadRecipe = z.output<typeof readRecipe>;

const reads = z.record(z.string().regex(/^[a-z][A-Za-z0-9_]*$/), readRecipe);

const changeRecipe = z.strictObject({
  kind: z.enum(["create", "update", "delete", "move", "send", "run", "other"]),
  target: z.string(),
  summary: z.string().optional().describe("one line for people"),
  before: z.string().optional().describe("the text as it is; with `after` it is shown as a difference"),
  after: z.string().optional().describe("the text as it would be"),
  diff: z.string().optional().describe("a difference that the server made itself"),
  details: z.record(z.string(), json).optional(),
});

const previewRecipe = z.strictObject({
  reads: reads.default({}).describe("what is asked first, in order; each is then known by its name"),
  changes: z.array(changeRecipe).min(1),
});
export type PreviewRecipe = z.output<typeof previewRecipe>;

const probeRecipe = z.strictObject({
  reads,
  present: z
    .array(z.strictObject({ value: z.string(), is: json }))
    .min(1)
    .describe("what is so once it was done, and was not so before"),
  output: z
    .strictObject({ text: z.string(), structured: json.optional() })
    .describe("what the tool answers once it is done: the caller is told this instead"),
});
export type ProbeRecipe = z.output<typeof probeRecipe>;

const undoRecipe = z.strictObject({
  tool: z.string(),
  arguments: z.record(z.string(), json).describe("taken from `input` and `output`"),
});

const faultRule = z.strictObject({
  says: z.string().min(3).describe("words in an error of the server, in any case"),
  kind: z.enum(["not-performed", "ambiguous", "permanent"]),
});
export type FaultRule = z.output<typeof faultRule>;

/** The properties of a tool that MCP cannot express. */
export const toolTerms = z
  .strictObject({
    effect: z.enum(effects),
    risk: z.enum(risks).optional(),
    overHint: z
      .literal(true)
      .optional()
      .describe("the server calls it destructive, and is known to be wrong: what is said here stands"),
    idempotency: z
      .enum(["natural", "probe", "none"])
      .optional()
      .describe("what may be done about an attempt nobody saw the end of; none unless said"),
    locks: z.array(z.string()).default([]).describe("what it holds while it acts: `{input.path}`"),
    sensitive: z.array(z.string()).default([]).describe("fields that are not shown, of input or output"),
    timeout: durationText.optional(),
    preview: previewRecipe.optional(),
    probe: probeRecipe.optional(),
    undo: undoRecipe.optional(),
  })
  .check(({ value, issues }) => {
    const fault = (path: PropertyKey[], message: string) =>
      issues.push({ code: "custom", path, message, input: value });
    if (value.effect === "read" && (value.preview || value.probe || value.undo))
      fault([], "a read has neither preview nor probe nor undo");
    if ((value.idempotency === "probe") !== (value.probe !== undefined))
      fault(["probe"], "`idempotency: probe` and a `probe` go together");
    for (const part of ["preview", "probe"] as const) {
      const known = ["input", ...Object.keys(value[part]?.reads ?? {})];
      const strange = listRoots(JSON.parse(JSON.stringify(value[part] ?? null))).find(
        (each) => !known.includes(each),
      );
      if (strange) fault([part], `\`{${strange}.…}\` is neither \`input\` nor one of its reads`);
    }
    const beyond = listRoots([...value.locks]).find((each) => each !== "input");
    if (beyond) fault(["locks"], `\`{${beyond}.…}\` is not known yet: only \`input\` is`);
    const unknown = listRoots(value.undo?.arguments ?? {}).find(
      (each) => !["input", "output"].includes(each),
    );
    if (unknown) fault(["undo"], `\`{${unknown}.…}\` is neither \`input\` nor \`output\``);
  });
export type ToolTerms = z.output<typeof toolTerms>;

/** A profile file: the properties of a server that MCP cannot express. */
export const profileDocument = z
  .strictObject({
    $schema: z.string().optional(),
    server: z.string().describe("whose tools these are, and where it comes from"),
    verified: z.strictObject({
      with: z.string().optional().describe("the very version that was run"),
      seen: z.array(z.string()).default([]).describe("what was tried against it"),
      unseen: z.array(z.string()).default([]).describe("what is taken from its documentation alone"),
    }),
    faults: z.array(faultRule).default([]).describe("what an error of the server means; the first that fits"),
    tools: z.record(z.string(), toolTerms),
  })
  .check(({ value, issues }) => {
    for (const [name, terms] of Object.entries(value.tools))
      for (const [part, each] of [...listReads(terms.preview), ...listReads(terms.probe)])
        if (value.tools[each.tool]?.effect !== "read" && !(each.dry && each.tool === name))
          issues.push({
            code: "custom",
            path: ["tools", name],
            input: value,
            message: `\`${part}\` asks \`${each.tool}\`, which is no read of this profile, nor the tool itself with \`dry\``,
          });
  });
export type Profile = z.output<typeof profileDocument>;

function listReads(recipe: { readonly reads: Readonly<Record<string, ReadRecipe>> } | undefined) {
  return Object.entries(recipe?.reads ?? {});
}

export const shippedProfiles = [
  "filesystem",
  "github",
  "kubernetes",
  "linear",
  "notion",
  "postgres",
  "slack",
  "stripe",
] as const;
