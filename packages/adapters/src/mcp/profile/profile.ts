import { effects, faultKinds, risks } from "@paraph/core";
import { z } from "zod";
import { listRoots } from "./template.ts";

const durationText = z.templateLiteral([z.number(), z.enum(["ms", "s", "m", "h"])]);
const json = z.json();

const readRecipe = z.strictObject({
  tool: z.string().describe("the server's name of the tool to call"),
  arguments: z.record(z.string(), json).default({}).describe("with placeholders, such as `{input.path}`"),
  absent: z
    .string()
    .optional()
    .describe("part of the error text which means that the object does not exist; it is then not an error"),
  when: z.string().optional().describe("a placeholder; if it has no value, the read is skipped"),
  basis: z
    .enum(["answer", "existence", "nothing"])
    .default("answer")
    .describe("the part of the answer in the basis: the whole answer, whether the object exists, or nothing"),
  dry: z
    .literal(true)
    .optional()
    .describe("with these arguments the tool only reports what it would do, although it is not a read"),
});
export type ReadRecipe = z.output<typeof readRecipe>;

const reads = z.record(z.string().regex(/^[a-z][A-Za-z0-9_]*$/), readRecipe);

const changeRecipe = z.strictObject({
  kind: z.enum(["create", "update", "delete", "move", "send", "run", "other"]),
  target: z.string(),
  summary: z.string().optional().describe("one line for people"),
  before: z.string().optional().describe("the current text; with `after` it is shown as a diff"),
  after: z.string().optional().describe("the text after the change"),
  diff: z.string().optional().describe("a diff that the server created"),
  details: z.record(z.string(), json).optional(),
});

const previewRecipe = z.strictObject({
  reads: reads
    .default({})
    .describe("the reads to run first, in order; placeholders use each result by its name"),
  changes: z.array(changeRecipe).min(1),
});
export type PreviewRecipe = z.output<typeof previewRecipe>;

const probeRecipe = z.strictObject({
  reads,
  present: z
    .array(z.strictObject({ value: z.string(), is: json }))
    .min(1)
    .describe("conditions that are true after the effect and false before"),
  output: z
    .strictObject({ text: z.string(), structured: json.optional() })
    .describe("the output to return if the probe finds the effect"),
});
export type ProbeRecipe = z.output<typeof probeRecipe>;

const undoRecipe = z.strictObject({
  tool: z.string(),
  arguments: z.record(z.string(), json).describe("with placeholders for `input` and `output`"),
});

const faultRule = z.strictObject({
  says: z.string().min(3).describe("part of the server's error text, case-insensitive"),
  kind: z.enum(faultKinds),
});
export type FaultRule = z.output<typeof faultRule>;

/** The properties of a tool that MCP cannot express. */
export const toolTerms = z
  .strictObject({
    effect: z.enum(effects).describe("what the tool does to the external system"),
    risk: z.enum(risks).optional().describe("the harm that the tool can do (default: by its effect)"),
    overHint: z
      .literal(true)
      .optional()
      .describe("ignore the server's hint that the tool is destructive, because it is known to be wrong"),
    idempotency: z
      .enum(["natural", "probe", "none"])
      .optional()
      .describe("what Paraph may do after an attempt whose outcome is unknown (default: `none`)"),
    locks: z.array(z.string()).default([]).describe("the locks that a call holds, such as `{input.path}`"),
    sensitive: z.array(z.string()).default([]).describe("fields of input or output that are masked"),
    timeout: durationText.optional().describe("the timeout of a call (default: that of the adapter)"),
    preview: previewRecipe.optional().describe("how to preview the changes of a call with reads"),
    probe: probeRecipe
      .optional()
      .describe("how to find out with reads whether an earlier attempt took effect"),
    undo: undoRecipe.optional().describe("the tool and the arguments that reverse a call"),
  })
  .check(({ value, issues }) => {
    const fault = (path: PropertyKey[], message: string) =>
      issues.push({ code: "custom", path, message, input: value });
    if (value.effect === "read" && (value.preview || value.probe || value.undo))
      fault([], "a read cannot have a preview, a probe or an undo");
    if ((value.idempotency === "probe") !== (value.probe !== undefined))
      fault(["probe"], "set both `idempotency: probe` and `probe`, or neither");
    for (const part of ["preview", "probe"] as const) {
      const known = ["input", ...Object.keys(value[part]?.reads ?? {})];
      const strange = listRoots(JSON.parse(JSON.stringify(value[part] ?? null))).find(
        (each) => !known.includes(each),
      );
      if (strange) fault([part], `\`{${strange}.…}\` is neither \`input\` nor one of its reads`);
    }
    const beyond = listRoots([...value.locks]).find((each) => each !== "input");
    if (beyond) fault(["locks"], `\`{${beyond}.…}\` is not available here: use only \`input\``);
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
    server: z.string().describe("the server of these tools, and its source"),
    verified: z.strictObject({
      with: z.string().optional().describe("the exact version that was tested"),
      seen: z.array(z.string()).default([]).describe("the behavior that was tested"),
      unseen: z
        .array(z.string())
        .default([])
        .describe("the behavior that is known only from its documentation"),
    }),
    faults: z
      .array(faultRule)
      .default([])
      .describe("the meaning of the server's errors; the first match applies"),
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
            message: `\`${part}\` calls \`${each.tool}\`. It can call only a read of this profile, or the tool itself with \`dry\``,
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
