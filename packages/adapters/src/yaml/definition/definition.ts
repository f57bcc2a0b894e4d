import { type Duration, effects, maxTimeoutMs, milliseconds, risks } from "@paraph/core";
import { z } from "zod";
import { declaredInput } from "./declared-input.ts";
import { outputRule } from "./output-rule.ts";

export type ToolDefinition = z.output<typeof toolDefinition>;
export type ArgumentDefinition = z.output<typeof argumentDefinition>;

const inputName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_]{0,62}$/,
    "must be a name of letters, digits and `_`, beginning with a letter",
  );
export const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,126}$/, "must be the name of an environment variable");
const folderName = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, "must be a name in lower case");
const argumentDefinition = z.union(
  [
    z.string().max(10_000),
    z.strictObject({
      when: inputName.describe("adds the arguments only if this input is given and not false"),
      args: z.array(z.string().max(10_000)).min(1),
    }),
  ],
  "must be a text, or `{ when: input, args: [texts] }`",
);
const args = z
  .array(argumentDefinition)
  .max(200)
  .describe("each text is exactly one argument; `{name}` inserts a value, and `{{` is a brace");
const durationText = z
  .string()
  .regex(/^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/, "must be a duration, such as `500ms`, `30s` or `5m`")
  .refine(isWithinMaxTimeout, "must be more than 0 and at most 10m")
  .transform((text) => text as Duration);
const exitCodes = z.array(z.int().min(0).max(255));

export const toolDefinition = z.strictObject({
  summary: z.string().trim().min(1).max(200).optional().describe("a description in one line"),
  version: z
    .int()
    .positive()
    .default(1)
    .describe("the version of the contract; raise it when the contract changes"),
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
          .refine(
            (byPlatform) => Object.keys(byPlatform).length > 0,
            "must name a binary for at least one platform",
          ),
      ],
      "must be a text, or one for each platform: `{ linux: …, darwin: …, win32: … }`",
    )
    .describe(
      "a name, an absolute path, or a path relative to the configuration (`./bin/tool`); or one for each platform",
    ),
  args: args.optional(),
  command_template: z
    .string()
    .max(10_000)
    .optional()
    .describe("instead of `args`: a command line, which Paraph splits into words without a shell"),
  input: z.record(inputName, declaredInput).default({}),
  models: z.array(z.string().min(1)).min(1).optional().describe("the allowed values of the input `model`"),
  default_model: z.string().optional(),
  stdin: z.string().max(10_000).optional().describe("the text for its standard input, such as `{prompt}`"),
  cwd: folderName
    .optional()
    .describe("its working folder, from `folders` (default: an empty temporary folder)"),
  folders: z
    .record(
      folderName,
      z.strictObject({
        path: z.string().min(1).describe("relative to the configuration"),
        write: z.boolean().default(false).describe("whether a tool in a sandbox may write to it"),
      }),
    )
    .default({}),
  env_vars: z
    .record(variableName, z.string().max(10_000))
    .default({})
    .describe("its complete environment besides PATH, HOME and LANG; refer to secrets of the tenant by name"),
  effect: z.enum(effects).default("write"),
  risk: z.enum(risks).optional(),
  idempotency: z
    .enum(["natural", "keyed", "none"])
    .optional()
    .describe("natural: safe to repeat; keyed: takes the call's key as `{key}`; none: neither"),
  timeout: durationText.default("1m"),
  output_limit: z
    .int()
    .positive()
    .max(16_777_216)
    .default(1_048_576)
    .describe("the maximum number of bytes of each stream"),
  limits: z
    .strictObject({
      memory_mb: z.int().positive().optional(),
      file_mb: z.int().positive().optional(),
      open_files: z.int().positive().optional(),
      processes: z.int().positive().optional(),
      cpu_seconds: z.int().positive().optional(),
    })
    .optional(),
  locks: z
    .array(z.string().min(1).max(1_000))
    .max(20)
    .default([])
    .describe("the locks that a call holds, such as `repository:{name}`"),
  preview: z
    .strictObject({
      args,
      shows: z.enum(["text", "diff"]).default("text"),
      network: z.boolean().default(false),
      timeout: durationText.default("10s"),
      basis: z
        .enum(["output", "none"])
        .default("output")
        .describe("whether an approval is valid only while the output of the preview stays the same"),
    })
    .optional()
    .describe("a run of the binary that only reads, in a sandbox without write access"),
  sandbox: z
    .strictObject({
      network: z.boolean().default(false),
      read: z.array(z.string().min(1)).default([]),
      write: z.array(z.string().min(1)).default([]),
    })
    .optional()
    .describe(
      "what the tool can access besides its folders; without a sandbox it runs unconfined as Paraph's own user",
    ),
  tags: z
    .array(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, "must be a word in lower case"))
    .max(20)
    .default([]),
  cost: z
    .strictObject({ at_most: z.int().nonnegative() })
    .optional()
    .describe(
      "in minor units; Paraph reserves it before the run, and counts it as spent unless the output states the cost",
    ),
  sensitive: z.array(z.string()).default([]),
  output: outputRule.default({ kind: "text" }),
  exit_codes: z
    .strictObject({
      ok: exitCodes.default([0]),
      not_performed: exitCodes.default([]).describe("the tool had no effect; Paraph retries"),
      ambiguous: exitCodes.default([]).describe("the effect is unknown"),
    })
    .default({ ok: [0], not_performed: [], ambiguous: [] }),
  version_args: z
    .array(z.string())
    .max(5)
    .optional()
    .describe("arguments with which it prints its version, for the adapter's health: [--version]"),
});

export const toolName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,62}$/,
    "must be a tool name of lower-case letters, digits, `-` and `_`, beginning with a letter",
  );

/** The schema of a file that defines tools. */
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
