import { type Duration, effects, maxTimeoutMs, milliseconds, risks } from "@paraph/core";
import { z } from "zod";
import { declaredInput } from "./declared-input.ts";
import { outputRule } from "./output-rule.ts";

export type ToolDefinition = z.output<typeof toolDefinition>;
export type ArgumentDefinition = z.output<typeof argumentDefinition>;

const inputName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/, "a name of letters, digits and `_`, beginning with a letter");
export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,126}$/, "the name of an environment variable");
const folderName = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, "a name in lower case");
const argumentDefinition = z.union(
  [
    z.string().max(10_000),
    z.strictObject({
      when: inputName.describe("only where this input is given, and not false"),
      args: z.array(z.string().max(10_000)).min(1),
    }),
  ],
  "an argument is a text, or `{ when: input, args: [texts] }`",
);
const args = z
  .array(argumentDefinition)
  .max(200)
  .describe("each is exactly one argument; `{name}` is a value, `{{` a brace");
const durationText = z
  .string()
  .regex(/^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/, "a duration: `500ms`, `30s`, `5m`")
  .refine(isWithinMaxTimeout, "more than nothing and at most 10m")
  .transform((text) => text as Duration);
const exitCodes = z.array(z.int().min(0).max(255));

export const toolDefinition = z.strictObject({
  summary: z.string().trim().min(1).max(200).optional().describe("one line that says what it does"),
  version: z.int().positive().default(1).describe("raised when its contract changes"),
  binary: z
    .union(
      [
        z.string().min(1),
        z
          .strictObject({
            linux: z.string().min(1).optional(),
            darwin: z.string().min(1).optional(),
            win32: z.string().min(1).optional(),
          })
          .refine((byPlatform) => Object.keys(byPlatform).length > 0, "name at least one platform's"),
      ],
      "a text, or one for each platform: `{ linux: …, darwin: …, win32: … }`",
    )
    .describe(
      "a name, an absolute path or one relative to the configuration (`./bin/tool`); or one per platform",
    ),
  args: args.optional(),
  command_template: z
    .string()
    .max(10_000)
    .optional()
    .describe("instead of `args`: a command line, taken into words when read; no shell sees it"),
  input: z.record(inputName, declaredInput).default({}),
  models: z.array(z.string().min(1)).min(1).optional().describe("what the input `model` may be"),
  default_model: z.string().optional(),
  stdin: z.string().max(10_000).optional().describe("what it reads: `{prompt}`"),
  cwd: folderName
    .optional()
    .describe("the folder of `folders` it runs in; unless said, an empty one of its own"),
  folders: z
    .record(
      folderName,
      z.strictObject({
        path: z.string().min(1).describe("relative to the configuration"),
        write: z.boolean().default(false).describe("in a sandbox: may it be written to?"),
      }),
    )
    .default({}),
  env_vars: z
    .record(variableName, z.string().max(10_000))
    .default({})
    .describe("its whole environment besides PATH, HOME and LANG; a secret of the tenant by reference"),
  effect: z.enum(effects).default("write"),
  risk: z.enum(risks).optional(),
  idempotency: z
    .enum(["natural", "keyed", "none"])
    .optional()
    .describe("natural: may be run again; keyed: takes the call's key as `{key}`; none: neither"),
  timeout: durationText.default("1m"),
  output_limit: z.int().positive().max(16_777_216).default(1_048_576).describe("in bytes, of each stream"),
  limits: z
    .strictObject({
      memory_mb: z.int().positive().optional(),
      file_mb: z.int().positive().optional(),
      open_files: z.int().positive().optional(),
      processes: z.int().positive().optional(),
      cpu_seconds: z.int().positive().optional(),
    })
    .optional(),
  locks: z.array(z.string().min(1).max(1_000)).max(20).default([]).describe("`repository:{name}`"),
  preview: z
    .strictObject({
      args,
      shows: z.enum(["text", "diff"]).default("text"),
      network: z.boolean().default(false),
      timeout: durationText.default("10s"),
      basis: z
        .enum(["output", "none"])
        .default("output")
        .describe("whether an approval holds only while this puts out the same"),
    })
    .optional()
    .describe("a second run of the binary that only looks, in a sandbox where nothing can be written"),
  sandbox: z
    .strictObject({
      network: z.boolean().default(false),
      read: z.array(z.string().min(1)).default([]),
      write: z.array(z.string().min(1)).default([]),
    })
    .optional()
    .describe("what it sees besides its folders; without this it runs as Paraph's own user, unconfined"),
  tags: z
    .array(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, "a word in lower case"))
    .max(20)
    .default([]),
  cost: z
    .strictObject({ at_most: z.int().nonnegative() })
    .optional()
    .describe("in minor units: reserved before, and spent unless the output tells less"),
  sensitive: z.array(z.string()).default([]),
  output: outputRule.default({ kind: "text" }),
  exit_codes: z
    .strictObject({
      ok: exitCodes.default([0]),
      not_performed: exitCodes.default([]).describe("nothing happened: it is tried again"),
      ambiguous: exitCodes.default([]).describe("nobody knows whether it happened"),
    })
    .default({ ok: [0], not_performed: [], ambiguous: [] }),
  version_args: z
    .array(z.string())
    .max(5)
    .optional()
    .describe("has it tell its version, for the adapter's health: [--version]"),
});

export const toolName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,62}$/,
    "a tool's name: lower case, digits, `-` and `_`, beginning with a letter",
  );

/** The schema of a whole file. */
export const toolsDocument = z.strictObject({
  $schema: z.string().optional(),
  tools: z.record(toolName, toolDefinition),
});

function isWithinMaxTimeout(text: string): boolean {
  try {
    const ms = milliseconds(text as Duration);
    return ms > 0 && ms <= maxTimeoutMs;
  } catch {
    return false;
  }
}
