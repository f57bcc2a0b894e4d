import type {
  CallToolResult,
  Client,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  RequestOptions,
  Tool,
} from "@modelcontextprotocol/client";
import { type Effect, type ExecutionContext, type JsonObject, maxTimeoutMs } from "@paraph/core";
import { redactFault, redactSecrets, redactSecretsDeep } from "../../egress/secrets.ts";
import type { ApprovalState } from "../definitions/approval-state.ts";
import { digestDefinition } from "../definitions/definitions.ts";
import type { McpConnection } from "./mcp-connection.ts";
import { answerTooLargeFault, isSessionLost, toRequestFault } from "./request-fault.ts";
import { runInRequestScope } from "./request-scope.ts";

/** The parts of the execution context that a request needs. */
export type ServerRequestContext = Pick<ExecutionContext, "signal" | "progress">;

/** Sends requests to a server. Errors are thrown as classified faults. */
export class McpServerClient {
  readonly #link: McpConnection;
  readonly #look: ApprovalState;
  readonly #secrets: () => readonly string[];

  constructor(link: McpConnection, look: ApprovalState, secrets: () => readonly string[]) {
    this.#link = link;
    this.#look = look;
    this.#secrets = secrets;
  }

  callTool(
    tool: Tool,
    input: JsonObject,
    effect: Effect,
    asking: ServerRequestContext,
  ): Promise<CallToolResult> {
    return this.#ask(digestDefinition({ kind: "tool", tool }), effect, asking, (client, options) =>
      client.callTool({ name: tool.name, arguments: input }, { ...options, toolDefinition: tool }),
    );
  }

  readResource(uri: string, asking: ServerRequestContext): Promise<ReadResourceResult> {
    return this.#ask(undefined, "read", asking, (client, options) =>
      client.readResource({ uri }, { ...options, cacheMode: "bypass" }),
    );
  }

  getPrompt(
    prompt: Prompt,
    given: Record<string, string>,
    asking: ServerRequestContext,
  ): Promise<GetPromptResult> {
    return this.#ask(digestDefinition({ kind: "prompt", prompt }), "read", asking, (client, options) =>
      client.getPrompt({ name: prompt.name, arguments: given }, options),
    );
  }

  async #ask<T>(
    approval: string | undefined,
    effect: Effect,
    { signal, progress }: ServerRequestContext,
    body: (client: Client, options: RequestOptions) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    await this.#look.requireApproved(approval, signal);
    const client = this.#link.requireClient();
    // The contract sets the deadline. When the deadline passes, the client cancels the request at the server.
    const tooLarge = new AbortController();
    const options: RequestOptions = {
      signal: AbortSignal.any([signal, tooLarge.signal]),
      timeout: maxTimeoutMs,
      onprogress: ({ progress: done, total, message }) =>
        progress({
          ...(message !== undefined && { message: redactSecrets(message, this.#secrets()) }),
          ...(total !== undefined && total > 0 && { fraction: Math.min(1, Math.max(0, done / total)) }),
        }),
    };
    try {
      const scope = { isRead: effect === "read", onTooLarge: () => tooLarge.abort() };
      const asked = runInRequestScope(scope, () => body(client, options));
      return redactSecretsDeep(await asked, this.#secrets());
    } catch (error) {
      signal.throwIfAborted();
      if (tooLarge.signal.aborted) throw answerTooLargeFault(effect);
      if (isSessionLost(error)) void this.#link.renew(client);
      throw redactFault(toRequestFault(error, effect), this.#secrets());
    }
  }
}
