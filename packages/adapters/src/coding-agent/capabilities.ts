import {
  type Capability,
  CapabilityError,
  type Duration,
  defineCapability,
  type Effect,
  type Preview,
  type Risk,
  shorten,
} from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { z } from "zod";
import { agentFile } from "./agent-file.ts";
import type { CodingConfig } from "./config.ts";
import { previewEdit, previewFileWrite } from "./edit-preview.ts";
import { previewPatch } from "./patch-preview.ts";
import { toolReport } from "./tool-report.ts";

const text = z.string().max(1_000_000);
const path = z.string().min(1).max(4_096);
const name = z.string().min(1).max(200);
const anyJsonObject = z.record(z.string(), z.json());
/** The client program that makes the request, and its working folder. */
const requesterInput = { client: z.string().min(1).max(40), cwd: path };
/** The tool's options that have no field of their own in the input. An approval covers exactly these options. */
const options = anyJsonObject.optional();
const replacementInput = z.strictObject({ old: text, new: text, all: z.boolean() });

/** Creates the capabilities for the tools of all clients under common names, so that one rule covers all clients. */
export function createCodingCapabilities(adapter: string, { risk = {} }: CodingConfig): Capability[] {
  const own = <I extends z.ZodType>(verb: Verb, about: CapabilityTerms<I>): Capability =>
    defineCapability({
      name: `${adapter}.${verb}`,
      version: about.version ?? 1,
      summary: about.summary,
      effect: about.effect,
      risk: (verb === "canary" || verb === "own_folder" ? undefined : risk[verb]) ?? about.risk,
      idempotency: about.effect === "read" ? "natural" : "none",
      performer: "agent",
      input: about.input,
      output: toolReport,
      timeout: about.timeout,
      ...(about.headline && { headline: (input) => about.headline!(input as z.output<I>) }),
      ...(about.preview && { preview: async (input) => about.preview!(input as z.output<I>) }),
    });

  return [
    own("bash", {
      summary: "Run a command in the agent's shell",
      effect: "write",
      risk: "high",
      timeout: "30m",
      input: z.strictObject({ ...requesterInput, command: text.min(1), options }),
      headline: ({ command }) => `Run \`${shorten(escapeInvisible(command), 150)}\``,
      preview: ({ command, cwd, options }) => ({
        changes: [
          {
            kind: "run",
            target: cwd,
            summary: "Runs this command in a shell",
            details: { command, ...(options && { options }) },
          },
        ],
        basis: null,
      }),
    }),
    own("write", {
      summary: "Write a whole file",
      effect: "write",
      risk: "medium",
      timeout: "10m",
      input: z.strictObject({ ...requesterInput, path, content: text, file: agentFile, options }),
      preview: ({ path, content, file }) => previewFileWrite(path, content, file),
    }),
    own("edit", {
      summary: "Replace text in a file",
      effect: "write",
      risk: "medium",
      timeout: "10m",
      input: z.strictObject({
        ...requesterInput,
        path,
        edits: z.array(replacementInput).min(1).max(1_000),
        file: agentFile,
        options,
      }),
      preview: ({ path, edits, file }) => previewEdit(path, edits, file),
    }),
    own("patch", {
      summary: "Apply a patch to files",
      effect: "write",
      risk: "medium",
      timeout: "10m",
      input: z.strictObject({ ...requesterInput, patch: text.min(1), options }),
      preview: ({ patch }) => previewPatch(patch),
    }),
    own("notebook_edit", {
      summary: "Change a cell of a notebook",
      effect: "write",
      risk: "medium",
      timeout: "10m",
      input: z.strictObject({ ...requesterInput, path, change: anyJsonObject }),
      preview: ({ path, change }) => ({
        changes: [{ kind: "update", target: path, summary: "Changes a cell", details: { ...change } }],
        basis: null,
      }),
    }),
    own("read", {
      summary: "Read files",
      effect: "read",
      risk: "low",
      timeout: "10m",
      version: 2,
      input: z.strictObject({ ...requesterInput, path, tool: name, input: anyJsonObject }),
    }),
    own("web_fetch", {
      // The effect is `write`, because a URL can leak data that the agent has read. A fetch therefore requires an
      // approval unless a rule allows it.
      summary: "Fetch a URL",
      effect: "write",
      risk: "medium",
      timeout: "10m",
      version: 2,
      input: z.strictObject({ ...requesterInput, url: text.min(1), host: name, options }),
      preview: ({ url, host }) => ({
        changes: [{ kind: "send", target: host, summary: "Requests this URL", details: { url } }],
        basis: null,
      }),
    }),
    own("web_search", {
      summary: "Search the web",
      effect: "read",
      risk: "low",
      timeout: "10m",
      input: z.strictObject({ ...requesterInput, query: text, options }),
    }),
    own("inner", {
      // Starting a subagent also counts as a tool that affects only the agent itself, because Paraph rules separately
      // on the tools that a subagent uses.
      summary: "Use a tool that affects only the agent itself",
      effect: "read",
      risk: "low",
      timeout: "6h",
      input: z.strictObject({ ...requesterInput, tool: name, input: anyJsonObject }),
    }),
    own("skill", {
      // A skill's file can contain commands, and the client runs them without calling its hooks. The risk is therefore
      // high.
      summary: "Use a skill, which can run commands of its own",
      effect: "write",
      risk: "high",
      timeout: "30m",
      input: z.strictObject({ ...requesterInput, tool: name, input: anyJsonObject }),
      preview: ({ tool, input }) => previewUnknownTool(tool, input),
    }),
    own("mcp", {
      summary: "Use a tool of an MCP server that is not behind Paraph",
      effect: "write",
      risk: "high",
      timeout: "30m",
      input: z.strictObject({ ...requesterInput, server: name, tool: name, input: anyJsonObject }),
      preview: ({ server, tool, input }) => previewUnknownTool(`${server}: ${tool}`, input),
    }),
    own("unknown", {
      // [P11] An unknown tool may do anything, so its effect is `destroy`.
      summary: "Use a tool that Paraph does not know",
      effect: "destroy",
      risk: "high",
      timeout: "30m",
      input: z.strictObject({ ...requesterInput, tool: name, input: anyJsonObject }),
      preview: ({ tool, input }) => previewUnknownTool(tool, input),
    }),
    own("own_folder", {
      summary: "Access Paraph's own keys",
      effect: "destroy",
      risk: "critical",
      timeout: "1m",
      input: z.strictObject({ ...requesterInput, tool: name }),
      preview: () => {
        throw new CapabilityError(
          "permanent",
          "own-folder",
          "Agents can't access this folder, because Paraph keeps its keys in it.",
        );
      },
    }),
    own("canary", {
      summary: "Test the hook with a call that Paraph always refuses",
      effect: "destroy",
      risk: "critical",
      timeout: "1m",
      input: z.strictObject(requesterInput),
      preview: () => {
        throw new CapabilityError("permanent", "canary", "Paraph always refuses the canary. The hook works.");
      },
    }),
  ];
}

type Verb = keyof NonNullable<CodingConfig["risk"]> | "canary" | "own_folder";

interface CapabilityTerms<I extends z.ZodType> {
  readonly summary: string;
  readonly version?: number;
  readonly effect: Effect;
  readonly risk: Risk;
  /**
   * The time within which the agent must report. It includes the time that a person takes to answer the client's own
   * prompt.
   */
  readonly timeout: Duration;
  readonly input: I;
  readonly headline?: (input: z.output<I>) => string;
  readonly preview?: (input: z.output<I>) => Preview;
}

function previewUnknownTool(target: string, input: z.output<typeof anyJsonObject>): Preview {
  const summary = "Uses this tool. Paraph does not know what it changes.";
  return { changes: [{ kind: "other", target, summary, details: { ...input } }], basis: null };
}
