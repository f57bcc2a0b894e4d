import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import {
  type AdapterContext,
  type Capability,
  CapabilityError,
  defineAdapter,
  defineCapability,
  type ExecutionContext,
  type Health,
  type OpenAdapter,
} from "@paraph/core";
import { z } from "zod";

/**
 * A reference adapter, to read before you write your own. Claude Code itself needs no adapter, because `yamlTools({
 * shipped: ["claude"] })` runs it without code, with a sandbox and limits. Write an adapter for logic that a YAML file
 * cannot express. Here, that is which errors of the tool allow a retry.
 */
export const claudeCode = defineAdapter({
  kind: "claude-code",
  config: z.strictObject({
    command: z.array(z.string()).min(1).default(["claude"]).describe("the program, and what comes first"),
    models: z.array(z.string()).min(1).default(["sonnet"]),
  }),
  open: (config, adapterContext) => new ClaudeCodeAdapter(config, adapterContext),
});

interface ClaudeCodeConfig {
  readonly command: readonly string[];
  readonly models: readonly string[];
}

class ClaudeCodeAdapter implements OpenAdapter {
  readonly #config: ClaudeCodeConfig;
  readonly #name: string;

  constructor(config: ClaudeCodeConfig, { name }: AdapterContext) {
    this.#config = config;
    this.#name = name;
  }

  async capabilities(): Promise<readonly Capability[]> {
    const { models } = this.#config;
    return [
      defineCapability({
        name: `${this.#name}.ask`,
        version: 1,
        summary: "Ask Claude Code",
        effect: "write",
        idempotency: "natural",
        timeout: "5m",
        input: z.strictObject({ prompt: z.string().min(1), model: z.enum(models).default(models[0]!) }),
        output: z.object({ text: z.string(), tokens: z.int(), costUsd: z.number() }),
        preview: async ({ model, prompt }) => ({
          changes: [
            { kind: "send", target: model, summary: `Sends ${prompt.length} characters to ${model}` },
          ],
          basis: null,
        }),
        apply: async ({ prompt, model }, context) => toAnswer(await this.#ask(prompt, model, context)),
        spent: (_, { costUsd }) => Math.ceil(costUsd * 100),
      }),
    ];
  }

  async health(signal: AbortSignal): Promise<Health> {
    const { code } = await this.#run(["--version"], "", {}, signal);
    if (code === 0) return { kind: "well" };
    return { kind: "degraded", code: "binary-missing", message: "Claude Code does not start: install it." };
  }

  async #ask(prompt: string, model: string, context: ExecutionContext): Promise<ProcessResult> {
    const args = ["--bare", "--print", "--output-format", "json", "--tools", "", "--model", model];
    const env = {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      ANTHROPIC_API_KEY: await context.credential("ANTHROPIC_API_KEY"),
    };
    return this.#run(args, prompt, env, context.signal);
  }

  /**
   * Runs the program without a shell and with a minimal environment. The prompt goes to stdin, so that it cannot be
   * read as an option.
   */
  async #run(
    args: readonly string[],
    stdin: string,
    env: NodeJS.ProcessEnv,
    signal: AbortSignal,
  ): Promise<ProcessResult> {
    const [binary, ...first] = this.#config.command;
    const child = spawn(binary!, [...first, ...args], { env, signal, killSignal: "SIGKILL" });
    const ended = new Promise<Pick<ProcessResult, "code">>((resolve) => {
      let failure: string | undefined;
      child.on("error", (error: NodeJS.ErrnoException) => {
        failure = error.code ?? "error";
        // An aborted process still runs for a moment. The attempt ends when the process is gone.
        if (child.pid === undefined) resolve({ code: failure });
      });
      child.on("close", (code) => resolve({ code: failure ?? code ?? "killed" }));
    });
    child.stdin.on("error", () => {}).end(stdin);
    const [out, { code }] = await Promise.all([text(child.stdout).catch(() => ""), ended]);
    return { code, out };
  }
}

interface ProcessResult {
  /** The exit code, or the reason why there is none. */
  readonly code: number | string;
  readonly out: string;
}

const resultSchema = z.object({
  result: z.string(),
  is_error: z.boolean(),
  api_error_status: z.number().nullish(),
  total_cost_usd: z.number(),
  usage: z.object({ input_tokens: z.int(), output_tokens: z.int() }),
});

/**
 * [P8] Classifies how the process ended. This is the most important part of an adapter, because the class decides
 * whether Paraph retries. Error codes contain no values.
 */
function toAnswer({ code, out }: ProcessResult) {
  if (code === "ENOENT")
    throw new CapabilityError(
      "not-performed",
      "binary-missing",
      "Claude Code is not installed here: install it.",
    );
  if (code === "killed" || code === "ABORT_ERR")
    throw new CapabilityError("ambiguous", "stopped", "Claude Code was stopped at its deadline.");
  const read = resultSchema.safeParse(parseJson(out));
  if (!read.success)
    throw new CapabilityError(
      "permanent",
      "answer-unreadable",
      "Claude Code answered in a form we do not know.",
    );
  const { is_error: failed, api_error_status: status, usage, total_cost_usd: costUsd } = read.data;
  if (status === 429 || status === 529)
    throw new CapabilityError("not-performed", "busy", "The model has too much to do: it is tried again.");
  if (failed)
    throw new CapabilityError("permanent", "tool-failed", `Claude Code failed: ${read.data.result}`);
  return { text: read.data.result, tokens: usage.input_tokens + usage.output_tokens, costUsd };
}

function parseJson(out: string): unknown {
  try {
    return JSON.parse(out);
  } catch {
    return undefined;
  }
}
