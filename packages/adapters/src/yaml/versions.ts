import { stat } from "node:fs/promises";
import { runProcess } from "../process/index.ts";
import type { Tool } from "./definition/tool.ts";
import type { YamlContext } from "./run/command.ts";
import { createToolScratch } from "./run/scratch.ts";

/**
 * A cache of the versions of binaries. Paraph asks each binary for its version once, and again when the binary's file
 * changes.
 */
export class VersionCache {
  readonly #ground: YamlContext;
  readonly #known = new Map<string, string>();

  constructor(yamlContext: YamlContext) {
    this.#ground = yamlContext;
  }

  /**
   * Returns the version of a tool whose file defines how to ask for it. For any other tool, returns undefined without
   * starting the tool, because the tool might act when it starts.
   */
  async read(tool: Tool, binary: string, signal: AbortSignal): Promise<string | undefined> {
    const { version_args } = tool.definition;
    if (!version_args) return undefined;
    const file = `${binary} ${(await stat(binary)).mtimeMs}`;
    const version = this.#known.get(file) ?? (await this.#ask(binary, version_args, signal));
    if (version !== undefined) this.#known.set(file, version);
    return version;
  }

  async #ask(binary: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    await using scratch = await createToolScratch();
    const env = { PATH: this.#ground.path.join(":"), HOME: scratch.folder };
    const ran = await runProcess({
      binary,
      args,
      cwd: scratch.folder,
      env,
      signal,
      timeoutMs: versionTimeoutMs,
      maxOutputBytes: 4_096,
    });
    return /\d+(?:\.\d+){1,3}/.exec(ran.stdout.toString("utf8"))?.[0];
  }
}

/**
 * The time limit for reading a version. The limit is short, because the health check must be fast. A slower binary
 * still counts as available.
 */
const versionTimeoutMs = 3_000;
