import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildFileEdit, parseJsonTree, toPlainJson } from "../../lib/file-edits/index.ts";
import { listParaphHookCommands } from "./client-settings.ts";
import { buildInstallEdits, buildRemovalEdits, type HookGroups } from "./settings-edit.ts";

const file = (text: string) => ({ path: "/settings.json", text, state: { kind: "absent" as const } });
const after = (text: string, pieces: ReturnType<typeof buildInstallEdits>) =>
  buildFileEdit(file(text), pieces).after.bytes.toString();
const groupsOf = (wait: number): HookGroups => ({
  PreToolUse: {
    matcher: "*",
    hooks: [{ type: "command", command: `paraph hook run claude-code --wait ${wait}` }],
  },
  PostToolUse: { matcher: "*", hooks: [{ type: "command", command: "paraph hook run claude-code" }] },
});
const installed = (text: string, wait = 5) => after(text, buildInstallEdits(file(text), groupsOf(wait)));
const uninstalled = (text: string) =>
  after(text, buildRemovalEdits(file(text), ["PreToolUse", "PostToolUse"]));

it.each([
  ["nothing", ""],
  ["an empty object", "{}"],
  ["other settings, with comments and a comma too many", '{\n\t// mine\n\t"model": "opus", /* x */\n}\n'],
  ["other hooks", '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}], "Stop": []}}'],
  ["a list without entries", '{\n  "hooks": {\n    "PreToolUse": []\n  }\n}'],
])(
  "install adds the hooks to a file with %s, keeps its other lines, and changes nothing when repeated",
  (_, text) => {
    const result = installed(text);
    const plain = toPlainJson(parseJsonTree(result)!);
    expect(listParaphHookCommands(plain, "PreToolUse")).toHaveLength(1);
    expect(listParaphHookCommands(plain, "PostToolUse")).toHaveLength(1);
    for (const line of text.split("\n").filter((each) => /mine|opus/.test(each)))
      expect(result).toContain(line);
    // A repeated install changes nothing, and one with other options replaces the old entries.
    expect(installed(result)).toBe(result);
    expect(installed(result, 9)).toBe(result.replace("--wait 5", "--wait 9"));
  },
);

describe("[P11] install leaves an invalid or ambiguous settings file unchanged", () => {
  it.each(["[]", "{", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', '{"a": 1, "a": 2}'])("%s", (text) => {
    expect(() => installed(text)).toThrow("Paraph did not change it");
  });
});

it("install followed by uninstall preserves all other settings", () => {
  const other = fc.record({ matcher: fc.string(), hooks: fc.array(fc.record({ command: fc.string() })) });
  const hooks = fc.record({ PreToolUse: fc.array(other), Stop: fc.array(other) }, { requiredKeys: [] });
  const settings = fc.record({ model: fc.string(), hooks, env: fc.dictionary(fc.string(), fc.string()) });
  fc.assert(
    fc.property(settings, fc.constantFrom(undefined, 2, "\t"), (value, space) => {
      fc.pre(!("__proto__" in value.env && Object.hasOwn(value.env, "__proto__")));
      const text = JSON.stringify(value, null, space);
      const out = JSON.parse(uninstalled(installed(text)));
      const { PostToolUse, ...rest } = out.hooks;
      expect(PostToolUse).toEqual([]);
      expect({ ...out, hooks: { PreToolUse: [], ...rest } }).toEqual(
        JSON.parse(JSON.stringify({ ...value, hooks: { PreToolUse: [], ...value.hooks } })),
      );
    }),
  );
});

it("uninstall removes only Paraph's hooks, at any position in the list", () => {
  const ours = { hooks: [{ command: "paraph hook run codex" }] };
  const other = { hooks: [{ command: "lint" }] };
  for (const list of [[ours], [ours, other], [other, ours], [ours, ours, other, ours, ours]]) {
    const text = JSON.stringify({ hooks: { PreToolUse: list } });
    expect(JSON.parse(uninstalled(text)).hooks.PreToolUse).toEqual(list.filter((each) => each === other));
  }
});
