import { createHash } from "node:crypto";
import type { Json } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { createTestContext, parseTestInput, readFault } from "../testing.ts";
import { codingAgent } from "./index.ts";

const setting = {
  name: "agent",
  folder: "/",
  signal: new AbortController().signal,
  credential: async () => "",
  announceChange: () => {},
};
const capabilities = await (await codingAgent({}).open(setting)).capabilities();
const capability = (verb: string) => capabilities.find(({ contract }) => contract.name === `agent.${verb}`)!;
const asker = { client: "claude-code", cwd: "/work" };
const textFile = (text: string) => ({
  kind: "text",
  text,
  sha256: createHash("sha256").update(text).digest("hex"),
});

function shown(verb: string, input: Record<string, Json>) {
  const one = capability(verb);
  return one.preview!(parseTestInput(one, { ...asker, ...input }), createTestContext());
}

it("[P11] only the agent performs these capabilities, and an unknown tool counts as destructive with high risk", () => {
  expect(capabilities.every(({ contract }) => contract.performer === "agent")).toBe(true);
  const effects = Object.fromEntries(
    capabilities.map(({ contract }) => [contract.name, `${contract.effect} ${contract.risk}`]),
  );
  expect(effects).toMatchObject({
    "agent.bash": "write high",
    "agent.edit": "write medium",
    "agent.read": "read low",
    "agent.mcp": "write high",
    "agent.unknown": "destroy high",
    "agent.canary": "destroy critical",
  });
});

it("the operator can configure the risk of every capability except the canary", async () => {
  const [bash] = await (await codingAgent({ risk: { bash: "critical" } }).open(setting)).capabilities();
  expect(bash!.contract.risk).toBe("critical");
  const wrong = codingAgent({ risk: { canary: "low" } } as never).open(setting);
  await expect(wrong).rejects.toThrow("The configuration of adapter");
});

describe("[P3] the preview", () => {
  it("shows the exact command and the other options of the shell", async () => {
    const { changes } = await shown("bash", { command: "rm -rf build", options: { sandbox: false } });
    expect(changes).toEqual([
      {
        kind: "run",
        target: "/work",
        summary: "Runs this command in a shell",
        details: { command: "rm -rf build", options: { sandbox: false } },
      },
    ]);
  });

  it("shows a diff of the whole file if the file is available, and uses that file as the basis", async () => {
    const file = textFile("one\ntwo\nthree\n");
    const edits = [{ old: "two", new: "2", all: false }];
    const { changes, basis } = await shown("edit", { path: "a.txt", edits, file });
    expect(changes[0]!.diff).toContain(" one\n-two\n+2\n three\n");
    expect(basis).toEqual({ file: file.sha256 });
    const written = await shown("write", { path: "a.txt", content: "one\n", file });
    expect(written.changes[0]!.diff).toContain("-two\n-three\n");
    const created = await shown("write", { path: "a.txt", content: "new\n", file: { kind: "absent" } });
    expect(created.changes[0]).toMatchObject({ kind: "create", summary: "New file" });
  });

  it.each<[string, Json, boolean, RegExp]>([
    ["that is not there", { kind: "absent" }, false, /does not exist/],
    [
      "that cannot be shown",
      { kind: "unshown", why: "it is no text" },
      false,
      /not shown, because it is no text/,
    ],
    ["without the old text", textFile("other\n"), false, /will likely fail/],
    ["with the old text twice", textFile("two two\n"), false, /will likely fail/],
    ["with the old text twice, all meant", textFile("two two\n"), true, /^One text replaced$/],
  ])("explains the edit of a file %s", async (_, file, all, message) => {
    const { changes } = await shown("edit", { path: "a", edits: [{ old: "two", new: "2", all }], file });
    expect(changes[0]!.summary).toMatch(message);
    expect(changes[0]!.diff).toMatch(/^-two/m);
  });

  it("[P11] fails if the text of a file does not match its digest", async () => {
    const file = { ...textFile("one"), text: "two" };
    const edits = [{ old: "two", new: "2", all: false }];
    expect(await readFault(shown("edit", { path: "a", edits, file }))).toBe("permanent file-inconsistent");
  });

  it("[TRUST 6] shows every file of a patch, however its headers are padded", async () => {
    const patch = "*** Begin Patch\n  *** Delete File: secrets.txt  \n\t*** Add File: a\n+x\n*** End Patch";
    const { changes } = await shown("patch", { patch });
    expect(changes.map(({ kind, target }) => [kind, target])).toEqual([
      ["delete", "secrets.txt"],
      ["create", "a"],
    ]);
  });

  it("[TRUST 6] shows every line of a patch, including lines before the first known header", async () => {
    const patch = "*** Begin Patch\n*** Remove File: b\n*** Add File: a\n+x\n*** End Patch";
    const { changes } = await shown("patch", { patch });
    expect(changes.map(({ diff }) => diff).join("\n")).toContain("*** Remove File: b");
  });

  it("shows every file of a patch, and shows an invalid patch unchanged", async () => {
    const patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
    const { changes } = await shown("patch", { patch });
    expect(changes.map(({ kind, target }) => `${kind} ${target}`)).toEqual(["create a", "delete b"]);
    expect((await shown("patch", { patch: "rm -rf" })).changes[0]).toMatchObject({ diff: "rm -rf" });
  });
});

it("the canary is refused regardless of policy, because its preview fails", async () => {
  expect(await readFault(shown("canary", {}))).toBe("permanent canary");
});
