import { mkdir, readdir, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { yamlTools } from "@paraph/adapters/yaml";
import type { Capability, Json } from "@paraph/core";
import { createTestContext } from "../../packages/adapters/src/yaml/testing/fixture.ts";
import type { InjectionStage, InjectionTarget } from "./target.ts";

/** `printf` is the detector. It prints each of its arguments after a NUL, which no argument can contain. */
const toolsFile = `tools:
  spy:
    binary: printf
    args: ['\\0%s', "--x={value}", "{value}", "{value}{value}", { when: maybe, args: ["{maybe}"] }, --, "{dashed}"]
    input:
      value: { type: string, max_length: 100000 }
      maybe: { type: string, max_length: 100000, optional: true }
      dashed: { type: string, max_length: 100000, allow_leading_dash: true }
    output_limit: 16000000
    locks: ["value:{value}"]
  place:
    binary: printf
    args: ['\\0%s', "{path}", "--file={path}"]
    input: { path: { type: path, below: work } }
    folders: { work: { path: ./work } }
  read:
    binary: cat
    args: ["-", "{notes_file}"]
    stdin: "{prompt}"
    input: { notes: { type: content } }
`;

/** Tries hostile values in placeholders. The tool must receive exactly the expected argument vector. */
const placeholderTarget: InjectionTarget = {
  name: "yaml: a placeholder",
  share: 60,
  prepare: (folder) =>
    createStage(folder, (value, use) => {
      // Paraph rejects a leading dash where the value could be an option. Such values go only where the file allows a
      // leading dash.
      const plain = value.startsWith("-") ? "plain" : value;
      const maybe = plain.length % 2 === 0 ? plain : undefined;
      const expected = [
        `--x=${plain}`,
        plain,
        plain + plain,
        ...(maybe === undefined ? [] : [maybe]),
        "--",
        value,
      ];
      const input = { value: plain, dashed: value, ...(maybe !== undefined && { maybe }) };
      return use("spy", input, `\0${expected.join("\0")}`);
    }),
};

/** Tries hostile values as prompts and file contents. The tool must read exactly the text that was sent. */
const contentTarget: InjectionTarget = {
  name: "yaml: a prompt and a file's content",
  share: 20,
  prepare: (folder) =>
    createStage(folder, (value, use) => use("read", { prompt: value, notes: value }, value + value)),
};

/**
 * Tries hostile values as paths. The path that the tool receives must stay inside the tool's folder, even after links
 * are resolved.
 */
const pathTarget: InjectionTarget = {
  name: "yaml: a path",
  share: 20,
  prepare: (folder) =>
    createStage(folder, async (value, use) => {
      const below = join(await realpath(folder), "work");
      for (const path of [value, `a/${value}`, `out/${value}`]) {
        await use("place", { path }, async (said) => {
          const [, told = "", named = ""] = said.split("\0");
          const real = await resolveExisting(told);
          return named === `--file=${told}` && (real === below || real.startsWith(`${below}/`));
        });
      }
    }),
};

type Expected = string | ((said: string) => Promise<boolean>);
type UseCapability = (name: string, input: Json, expected: Expected) => Promise<void>;

async function createStage(
  folder: string,
  put: (value: string, use: UseCapability) => Promise<void>,
): Promise<InjectionStage> {
  await writeFile(join(folder, "tools.yaml"), toolsFile);
  await mkdir(join(folder, "work/a"), { recursive: true });
  await symlink("/etc", join(folder, "work/out"));
  const capabilities = await openCapabilities(folder);
  const before = await listNames(folder);
  const wrong: string[] = [];
  let reached = 0;
  const use: UseCapability = async (name, raw, expected) => {
    const capability = capabilities.get(`ops.${name}`)!;
    const input = capability.parseInput(raw);
    if (input.kind === "invalid") return;
    try {
      capability.locks(input.value);
      await capability.preview!(input.value, createTestContext());
      const { text } = (await capability.apply(input.value, createTestContext())) as { text: string };
      reached += 1;
      const right = typeof expected === "string" ? text === expected : await expected(text);
      if (!right) wrong.push(`\`${name}\` was started with other arguments than it should be`);
    } catch {
      // The adapter may reject the value.
    }
  };
  return {
    put: (value) => put(value, use),
    async escapes() {
      const added = (await listNames(folder)).filter((name) => !before.includes(name));
      return [...wrong.splice(0), ...added.map((name) => `\`${name}\` came to be`)];
    },
    reached: () => reached,
    close: async () => {},
  };
}

async function openCapabilities(folder: string): Promise<ReadonlyMap<string, Capability>> {
  const adapter = await yamlTools("tools.yaml").open({
    name: "ops",
    folder,
    signal: AbortSignal.timeout(10_000),
    announceChange: () => {},
    credential: () => Promise.reject(new Error("no credentials here")),
  });
  return new Map((await adapter.capabilities()).map((each) => [each.contract.name, each]));
}

async function listNames(folder: string): Promise<string[]> {
  const listed = await Promise.all(["", "work", "work/a"].map((name) => readdir(join(folder, name))));
  return listed.flat();
}

/** Resolves the part of the path that exists. */
async function resolveExisting(path: string): Promise<string> {
  return realpath(path).catch((error) =>
    dirname(path) === path ? Promise.reject(error) : resolveExisting(dirname(path)),
  );
}

export const yamlTargets: readonly InjectionTarget[] = [placeholderTarget, contentTarget, pathTarget];
