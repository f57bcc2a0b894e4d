import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Capability, ExecutionContext, Json, OpenAdapter } from "@paraph/core";
import { createTestContext, parseTestInput } from "../../testing.ts";

export { createTestContext };

import { yamlTools } from "../index.ts";

/** A folder with the files of a configuration, and the adapter opened there. */
export interface YamlFixture extends AsyncDisposable {
  readonly folder: string;
  readonly adapter: OpenAdapter;
  /** Returns a capability by its name without the adapter's prefix. */
  capability(name: string): Promise<Capability>;
  /** Returns the argument vectors with which the spy was started, in order. */
  readSpiedArguments(): Promise<string[][]>;
}

type YamlOptions = Parameters<typeof yamlTools>[0];

/**
 * Creates the fixture. `$SPY` in a file stands for a program that records its arguments, reads its stdin and prints
 * `spied`.
 */
export async function createYamlFixture(
  files: Readonly<Record<string, string>>,
  configured: YamlOptions = "*.yaml",
): Promise<YamlFixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "paraph-yaml-")));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const spy = join(folder, "spy");
    for (const [name, text] of Object.entries({ spy: spyProgram, ...files })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text.replaceAll("$SPY", spy));
    }
    await chmod(spy, 0o755);
    const adapter = await yamlTools(configured).open({
      name: "ops",
      folder,
      signal: AbortSignal.timeout(60_000),
      announceChange: () => {},
      credential: rejectCredential,
    });
    return {
      folder,
      adapter,
      capability: async (name) => {
        const all = await adapter.capabilities();
        const found = all.find(({ contract }) => contract.name === `ops.${name}`);
        if (!found) throw new Error(`There is no \`${name}\`.`);
        return found;
      },
      readSpiedArguments: async () =>
        (await readFile(join(folder, "spied"), "utf8").catch(() => ""))
          .split("\0\n\0")
          .slice(0, -1)
          .map((one) => one.split("\0").slice(1)),
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Writes a NUL before each argument, because no argument can contain one. */
const spyProgram = `#!/bin/sh
{ for one in "$@"; do printf '\\0%s' "$one"; done; printf '\\0\\n\\0'; } >> "\${0%/*}/spied"
cat > /dev/null
echo spied
`;

function rejectCredential(): Promise<never> {
  return Promise.reject(new Error("no credentials here"));
}

/** Performs a tool as the pipeline does: parses the input, applies, parses the output. */
export async function performTool(
  capability: Capability,
  raw: Json,
  context: Partial<ExecutionContext> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read the output's fields by name.
): Promise<any> {
  const output = capability.parseOutput(
    await capability.apply(parseTestInput(capability, raw), createTestContext(context)),
  );
  if (output.kind === "invalid") throw new Error(output.faults.join("; "));
  return output.value;
}
