import { stat } from "node:fs/promises";
import { runProcess } from "../process/index.ts";
import type { Tool } from "./definition/tool.ts";
import type { YamlContext } from "./run/command.ts";
import { createToolScratch } from "./run/scratch.ts";

/** The versions of the binaries. Each binary is asked once, and again when its file changes. */
export class VersionCache {
  readonly #ground: YamlContext;
  readonly #known = new Map<string, string>();

  constructor(yamlContext: YamlContext) {
    this.#ground = yamlContext;
  }

  /** Returns the version, only for tools whose file says how to ask. Another tool might act when it is started. */
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

/** The health check must be fast. A binary that is slower still counts as available. */
const versionTimeoutMs = 3_000;
