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
import { faultWithoutSecrets, withoutSecrets, withoutSecretsIn } from "../../outbound/secret.ts";
import { digestOf } from "./definitions.ts";
import { faultOfRequest, isForgotten } from "./fault.ts";
import type { LastLook } from "./last-look.ts";
import type { Link } from "./link.ts";
import { reading } from "./reading.ts";

/** What of the world a request needs. */
export type Asking = Pick<ExecutionContext, "signal" | "progress">;

/** What can be asked of a server. Whatever goes wrong is thrown as what it says about the world. */
export class Server {
  readonly #link: Link;
  readonly #look: LastLook;
  readonly #secrets: () => readonly string[];

  constructor(link: Link, look: LastLook, secrets: () => readonly string[]) {
    this.#link = link;
    this.#look = look;
    this.#secrets = secrets;
  }

  call(tool: Tool, input: JsonObject, effect: Effect, asking: Asking): Promise<CallToolResult> {
    return this.#ask(digestOf({ kind: "tool", tool }), effect, asking, (client, options) =>
      client.callTool({ name: tool.name, arguments: input }, { ...options, toolDefinition: tool }),
    );
  }

  read(uri: string, asking: Asking): Promise<ReadResourceResult> {
    return this.#ask(undefined, "read", asking, (client, options) =>
      client.readResource({ uri }, { ...options, cacheMode: "bypass" }),
    );
  }

  prompt(prompt: Prompt, given: Record<string, string>, asking: Asking): Promise<GetPromptResult> {
    return this.#ask(digestOf({ kind: "prompt", prompt }), "read", asking, (client, options) =>
      client.getPrompt({ name: prompt.name, arguments: given }, options),
    );
  }

  async #ask<T>(
    approval: string | undefined,
    effect: Effect,
    { signal, progress }: Asking,
    body: (client: Client, options: RequestOptions) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    await this.#look.vouch(approval, signal);
    const client = this.#link.now();
    // The deadline is the contract's: at its end the server is told that nobody waits any more.
    const options: RequestOptions = {
      signal,
      timeout: maxTimeoutMs,
      onprogress: ({ progress: done, total, message }) =>
        progress({
          ...(message !== undefined && { message: withoutSecrets(message, this.#secrets()) }),
          ...(total !== undefined && total > 0 && { fraction: Math.min(1, Math.max(0, done / total)) }),
        }),
    };
    try {
      const asked = effect === "read" ? reading(() => body(client, options)) : body(client, options);
      return withoutSecretsIn(await asked, this.#secrets());
    } catch (error) {
      signal.throwIfAborted();
      if (isForgotten(error)) void this.#link.renew(client);
      throw faultWithoutSecrets(faultOfRequest(error, effect), this.#secrets());
    }
  }
}
