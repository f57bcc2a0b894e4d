import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "@paraph/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasSandbox } from "../process/testing.ts";
import { parseTestInput, readFault } from "../testing.ts";
import { removeLeftovers } from "./run/scratch.ts";
import { createTestContext, createYamlFixture, performTool } from "./testing/fixture.ts";

const tool = (fields: string) => ({ "tools.yaml": `tools:\n  t: { binary: $SPY, ${fields} }\n` });
const shell = (script: string, fields = "") => ({
  "tools.yaml": `tools:\n  t: { binary: /bin/sh, args: [-c, ${JSON.stringify(script.replaceAll(/[{}]/g, "$&$&"))}], ${fields} }\n`,
});

describe("arguments", () => {
  it("[TRUST 18] a value is exactly one argument or part of one, whatever characters it contains", async () => {
    await using fixture = await createYamlFixture(
      tool('args: ["--x={a}", "{a}", "{a}{b}"], input: { a: { type: string }, b: { type: string } }'),
    );
    const capability = await fixture.capability("t");
    const hostile = [
      "$(id)",
      "`id`",
      "; id",
      "| id",
      "a\nb",
      "'",
      '"',
      "\\",
      "{b}",
      "*",
      "",
      " ",
      "../../../server/src",
      "é\u202e",
    ];
    const value = fc.oneof(
      fc.constantFrom(...hostile),
      fc.string().filter((text) => !text.startsWith("-")),
    );
    const expected: string[][] = [];
    await fc.assert(
      fc.asyncProperty(value, value, async (a, b) => {
        await performTool(capability, { a, b });
        expected.push([`--x=${a}`, a, a + b]);
      }),
      { numRuns: 60 },
    );
    expect(await fixture.readSpiedArguments()).toEqual(expected);
  });

  it("[TRUST 18] a value that would become an option is rejected unless the file allows a leading dash", async () => {
    const inputs = "a: { type: string }, n: { type: integer }, o: { type: string, allow_leading_dash: true }";
    await using fixture = await createYamlFixture(
      tool(`args: ["{a}", "{n}", "--o={a}", "{o}"], input: { ${inputs} }`),
    );
    const capability = await fixture.capability("t");
    const kind = (raw: Json) => capability.parseInput(raw).kind;
    expect(kind({ a: "-rf", n: 1, o: "" })).toBe("invalid");
    expect(kind({ a: "--", n: 1, o: "" })).toBe("invalid");
    expect(kind({ a: "x", n: -1, o: "" })).toBe("invalid");
    expect(kind({ a: "x\0y", n: 1, o: "" })).toBe("invalid");
    expect(kind({ a: "x\ud800", n: 1, o: "" })).toBe("invalid");
    expect(kind({ a: "x", n: 1, o: "-ok" })).toBe("valid");
  });

  it("a value after an empty value cannot become an option", async () => {
    await using fixture = await createYamlFixture(
      tool('args: ["{a}{b}"], input: { a: { type: string }, b: { type: string } }'),
    );
    expect((await fixture.capability("t")).parseInput({ a: "", b: "-x" }).kind).toBe("invalid");
  });

  it("optional arguments appear only when they are given", async () => {
    const inputs =
      "limit: { type: integer, optional: true }, all: { type: boolean, default: false }, kind: { type: enum, values: [a, b], default: b }";
    await using fixture = await createYamlFixture(
      tool(
        `args: [list, "--limit={limit}", { when: limit, args: [-n, "{limit}"] }, { when: all, args: [--all] }, "{kind}"], input: { ${inputs} }`,
      ),
    );
    const capability = await fixture.capability("t");
    await performTool(capability, {});
    await performTool(capability, { limit: 3, all: true, kind: "a" });
    expect(await fixture.readSpiedArguments()).toEqual([
      ["list", "b"],
      ["list", "--limit=3", "-n", "3", "--all", "a"],
    ]);
  });

  it("numbers must be in range, strings must match their pattern, and unknown fields are rejected", async () => {
    const inputs =
      'n: { type: integer, minimum: 1, maximum: 9 }, f: { type: number }, s: { type: string, pattern: "[a-z]+" }';
    await using fixture = await createYamlFixture(tool(`args: ["{n}", "{f}", "{s}"], input: { ${inputs} }`));
    const capability = await fixture.capability("t");
    const kind = (raw: Json) => capability.parseInput(raw).kind;
    expect(kind({ n: 1, f: 0.5, s: "abc" })).toBe("valid");
    expect(kind({ n: 0, f: 0.5, s: "abc" })).toBe("invalid");
    expect(kind({ n: 1.5, f: 0.5, s: "abc" })).toBe("invalid");
    expect(kind({ n: 1, f: 0.5, s: "abc\n" })).toBe("invalid");
    expect(kind({ n: 1, f: 0.5, s: "abc", more: 1 })).toBe("invalid");
  });

  it("an argument beyond the system's limit is rejected before the tool runs", async () => {
    await using fixture = await createYamlFixture(tool('args: ["{prompt}"]'));
    const capability = await fixture.capability("t");
    expect(await readFault(performTool(capability, { prompt: "x".repeat(131_072) }))).toBe(
      "permanent argument-too-long",
    );
    expect(await fixture.readSpiedArguments()).toEqual([]);
  });
});

describe("prompts, files and folders", () => {
  it("the tool gets content through stdin or a temporary file, which is deleted afterwards", async () => {
    const script = 'cat; echo; cat "$1"; echo; echo "$1"';
    await using fixture = await createYamlFixture({
      "tools.yaml": `tools:\n  t: { binary: /bin/sh, args: [-c, '${script}', sh, "{notes_file}"], stdin: "{prompt}", input: { notes: { type: content, extension: md } } }\n`,
    });
    const { text } = await performTool(await fixture.capability("t"), { prompt: "- ask", notes: "# note" });
    const [prompt, notes, path] = text.split("\n");
    expect([prompt, notes]).toEqual(["- ask", "# note"]);
    expect(path).toMatch(/notes\.md$/);
    expect(existsSync(path)).toBe(false);
  });

  it("the content of the output file is the output, unless the file is a link", async () => {
    const line = (script: string) => ({
      "tools.yaml": `tools:\n  t: { binary: /bin/sh, command_template: "{binary} -c '${script}' sh {output_file}" }\n`,
    });
    await using fixture = await createYamlFixture(line('printf left > \\"$1\\"; echo said'));
    expect((await performTool(await fixture.capability("t"), {})).text).toBe("left");
    await using linked = await createYamlFixture(line('ln -s /etc/passwd \\"$1\\"; echo said'));
    expect((await performTool(await linked.capability("t"), {})).text).toBe("said\n");
  });

  it("[TRUST 18] a path that leaves its folder is rejected, also through `..` or a link", async () => {
    await using fixture = await createYamlFixture(
      tool('args: ["{p}"], folders: { work: { path: ./work } }, input: { p: { type: path, below: work } }'),
    );
    const work = join(fixture.folder, "work");
    await mkdir(work);
    await symlink("/etc", join(work, "out"));
    await symlink(work, join(work, "in"));
    const capability = await fixture.capability("t");
    for (const p of [
      "../spy",
      "/etc/passwd",
      "a/../../b",
      "out/passwd",
      "out",
      "out/new/file",
      ".paraph/keys",
    ]) {
      expect(await readFault(performTool(capability, { p })), p).toBe("permanent path-outside-root");
    }
    expect(await fixture.readSpiedArguments()).toEqual([]);
    await performTool(capability, { p: "-rf" });
    await performTool(capability, { p: "in/new/file" });
    expect(await fixture.readSpiedArguments()).toEqual([[join(work, "-rf")], [join(work, "in/new/file")]]);
  });
});

describe("environment and secrets", () => {
  it("[TRUST 16] a tool sees the variables of its file and configuration, and none of Paraph's", async () => {
    process.env.PARAPH_CANARY = "canary";
    await using fixture = await createYamlFixture(shell("env", 'env_vars: { A: "x$' + '{KEY}y", B: "$5" }'), {
      files: "*.yaml",
      env: { C: "3", A: "overridden" },
    });
    const { text } = await performTool(await fixture.capability("t"), {}, { credential: async () => "k" });
    delete process.env.PARAPH_CANARY;
    const variables = Object.fromEntries(
      text
        .trim()
        .split("\n")
        .map((line: string) => line.split("=")),
    );
    expect(variables).toMatchObject({ A: "xky", B: "$5", C: "3" });
    expect(Object.keys(variables).sort()).toEqual(["A", "B", "C", "HOME", "LANG", "PATH", "PWD"]);
  });

  it("[P10] no output, error or progress contains a secret", async () => {
    const secret = "s3cr3t-value";
    const over = { credential: async () => secret };
    const env = 'env_vars: { KEY: "$' + '{KEY}" }';
    await using fine = await createYamlFixture(shell('echo "$KEY"', env));
    const told: string[] = [];
    const progress = ({ output = "" }) => void told.push(output);
    expect((await performTool(await fine.capability("t"), {}, { ...over, progress })).text).toBe(
      "[hidden: KEY]\n",
    );
    expect(told).toEqual(["[hidden: KEY]\n"]);
    await using failing = await createYamlFixture(shell('echo "bad $KEY" >&2; exit 3', env));
    await expect(performTool(await failing.capability("t"), {}, over)).rejects.toThrow(/bad \[hidden: KEY\]/);
  });

  it("a missing secret fails the call before the tool runs", async () => {
    await using fixture = await createYamlFixture(tool('args: [], env_vars: { KEY: "$' + '{KEY}" }'));
    await expect(performTool(await fixture.capability("t"), {})).rejects.toThrow("no credentials here");
    expect(await fixture.readSpiedArguments()).toEqual([]);
  });
});

describe("end of a run", () => {
  it.each([
    [0, "no fault"],
    [1, "no fault"],
    [75, "not-performed exit-code"],
    [7, "ambiguous exit-code"],
    [2, "permanent exit-code"],
  ])("[P8] exit code %i has the meaning that the file defines: %s", async (code, fault) => {
    const codes = "exit_codes: { ok: [0, 1], not_performed: [75], ambiguous: [7] }";
    await using fixture = await createYamlFixture(shell(`exit ${code}`, codes));
    expect(await readFault(performTool(await fixture.capability("t"), {}))).toBe(fault);
  });

  it("[P8] a missing binary is a not-performed fault, and health says what to do", async () => {
    await using fixture = await createYamlFixture({
      "a.yaml": "tools:\n  t: { binary: no-such-tool, args: [] }\n",
    });
    const capability = await fixture.capability("t");
    expect(await readFault(performTool(capability, {}))).toBe("not-performed binary-missing");
    expect(await fixture.adapter.health!(AbortSignal.timeout(60_000))).toEqual({
      kind: "degraded",
      code: "binary-missing",
      message: "`no-such-tool` was not found. Install it, or correct `binary` of `t`.",
    });
  });

  it("the binary is chosen by platform, and is not searched for in the working directory", async () => {
    const folders = "folders: { here: { path: . } }, cwd: here";
    await using fixture = await createYamlFixture({
      "a.yaml": `tools:
  here: { binary: { ${process.platform}: $SPY }, args: [] }
  elsewhere: { binary: { win32: a.exe }, args: [] }
  near: { binary: spy, args: [], ${folders} }
  relative: { binary: ./spy, args: [] }
`,
    });
    expect((await performTool(await fixture.capability("here"), {})).text).toBe("spied\n");
    expect((await performTool(await fixture.capability("relative"), {})).text).toBe("spied\n");
    for (const name of ["elsewhere", "near"])
      expect(await readFault(performTool(await fixture.capability(name), {}))).toBe(
        "not-performed binary-missing",
      );
  });

  it("[P15] a tool is killed at its deadline, and its temporary folder is deleted", async () => {
    await using fixture = await createYamlFixture(shell("pwd; sleep 600"));
    const deadline = new AbortController();
    let scratch = "";
    const progress = ({ output = "" }) => {
      scratch = output.trim();
      deadline.abort();
    };
    const performed = performTool(await fixture.capability("t"), {}, { signal: deadline.signal, progress });
    expect(await readFault(performed)).toBe("ambiguous stopped");
    expect(scratch).toMatch(/paraph-tool-/);
    expect(existsSync(scratch)).toBe(false);
  });

  it("output beyond its limit is cut and marked as truncated", async () => {
    await using fixture = await createYamlFixture(shell("printf '%0100d' 1", "output_limit: 10"));
    expect(await performTool(await fixture.capability("t"), {})).toEqual({
      text: "0000000000",
      exitCode: 0,
      truncated: true,
    });
  });

  it("[P8] an error in the tool's JSON output fails the call", async () => {
    const output = "output: { kind: json, error: $.error }";
    await using fixture = await createYamlFixture(shell(`echo '{"error":"quota"}'`, output));
    const performed = performTool(await fixture.capability("t"), {});
    await expect(performed).rejects.toMatchObject({ kind: "permanent", code: "tool-failed" });
  });

  it("the cost is the output's cost rounded up, or the reserved amount if the output has none", async () => {
    const rule = "cost: { at_most: 50 }, output: { kind: json, cost: $.usd }";
    await using fixture = await createYamlFixture(shell("true", rule));
    const capability = await fixture.capability("t");
    const spent = (cost?: number) =>
      capability.spent!({}, { text: "", exitCode: 0, truncated: false, ...(cost !== undefined && { cost }) });
    expect([capability.cost!({}), spent(), spent(0.101), spent(0)]).toEqual([50, 50, 11, 0]);
  });

  it("lock keys contain input values, and a lock without its value is omitted", async () => {
    await using fixture = await createYamlFixture(
      tool(
        'args: ["{r}", "{b}"], locks: ["repo:{r}", "branch:{b}"], input: { r: { type: string }, b: { type: string, optional: true } }',
      ),
    );
    const capability = await fixture.capability("t");
    expect(capability.locks({ r: "x" })).toEqual(["repo:x"]);
    expect(capability.locks({ r: "x", b: "y" })).toEqual(["branch:y", "repo:x"]);
  });

  it("[P7] a keyed tool gets the call's key as an argument", async () => {
    await using fixture = await createYamlFixture(tool('args: ["--key={key}"], idempotency: keyed'));
    await performTool(await fixture.capability("t"), {});
    expect(await fixture.readSpiedArguments()).toEqual([["--key=0198c0de-call"]]);
  });
});

describe("preview", () => {
  it("[P3] shows the exact arguments without sensitive values, and runs nothing", async () => {
    await using fixture = await createYamlFixture(
      tool(
        'args: ["{a}", "--pin={pin}"], stdin: "{prompt}", sensitive: [pin], env_vars: { E: "$' +
          '{E}" }, input: { a: { type: string }, pin: { type: string } }',
      ),
    );
    const capability = await fixture.capability("t");
    const { changes, basis } = await capability.preview!(
      { a: "x y", pin: "1234", prompt: "hi" },
      createTestContext(),
    );
    expect(changes).toEqual([
      {
        kind: "run",
        target: "t",
        summary: `Runs \`${join(fixture.folder, "spy")}\`, not in a sandbox`,
        details: {
          arguments: ["x y", "--pin=[hidden: pin]"],
          stdin: "hi",
          environment: ["E"],
          sandbox: "none",
        },
      },
    ]);
    expect(basis).toMatchObject({ definition: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await fixture.readSpiedArguments()).toEqual([]);
  });

  it("[P5] the basis changes when the definition changes", async () => {
    const basis = async (fields: string) => {
      await using fixture = await createYamlFixture({
        "tools.yaml": `tools:\n  t: { binary: /bin/true, ${fields} }\n`,
      });
      return (await (await fixture.capability("t")).preview!({}, createTestContext())).basis;
    };
    expect(await basis("args: [a]")).toEqual(await basis("args: [a]"));
    expect(await basis("args: [a]")).not.toEqual(await basis("args: [b]"));
  });
});

describe.runIf(hasSandbox)("sandbox", () => {
  const folders =
    "folders: { work: { path: ./work, write: true } }, cwd: work, input: { p: { type: path, below: work } }";
  const command = (script: string) => `[-c, "${script}", sh, "{p}"]`;

  async function stage(preview: string, apply: string, more = "") {
    const fixture = await createYamlFixture({
      "work/a": "one\n",
      "tools.yaml": `tools:\n  t: { binary: /bin/sh, args: ${command(apply)}, preview: { args: ${command(preview)} }, ${folders} ${more} }\n`,
    });
    return { there: fixture, file: join(fixture.folder, "work/a") };
  }

  it("[P3] a preview command can read files but not change them; apply can", async () => {
    const { there, file } = await stage(
      "cat $1; echo x > $1",
      "echo two > $1",
      ", exit_codes: { ok: [0, 2] }",
    );
    await using _ = there;
    const capability = await there.capability("t");
    const input = parseTestInput(capability, { p: "a" });
    const { changes, basis } = await capability.preview!(input, createTestContext());
    expect(changes[0]!.details).toMatchObject({ output: "one\n" });
    expect(await readFile(file, "utf8")).toBe("one\n");
    await performTool(capability, { p: "a" });
    expect(await readFile(file, "utf8")).toBe("two\n");
    expect((await capability.preview!(input, createTestContext())).basis).not.toEqual(basis);
  });

  it("[P10] no output of a preview command and no error contains a sensitive value", async () => {
    const inputs = "sensitive: [pin], input: { pin: { type: string } }";
    await using fixture = await createYamlFixture({
      "a.yaml": `tools:\n  t: { binary: /bin/sh, args: [-c, 'echo no $1 >&2; exit 1', sh, "{pin}"], preview: { args: [-c, 'echo pin $1', sh, "{pin}"] }, ${inputs} }\n`,
    });
    const capability = await fixture.capability("t");
    const { changes } = await capability.preview!({ pin: "83712" }, createTestContext());
    expect(changes[0]!.details).toMatchObject({ output: "pin [hidden: pin]\n" });
    await expect(performTool(capability, { pin: "83712" })).rejects.toThrow(/It said: no \[hidden: pin\]$/);
  });

  it("[TRUST 18] a sandboxed tool sees only its own folders, and no network", async () => {
    const { there } = await stage(
      "true",
      "ls ..; ls /root /home; cat /proc/net/dev | tail -n +3 | wc -l; echo ok > $1",
      ", sandbox: {}",
    );
    await using _ = there;
    await writeFile(join(there.folder, "beside"), "secret");
    const { text } = await performTool(await there.capability("t"), { p: "a" });
    expect(text).toBe("work\n1\n");
    expect(await readFile(join(there.folder, "work/a"), "utf8")).toBe("ok\n");
  });

  it("[TRUST 18] `binary: ./bin/set-limit` with `sandbox: {}` runs, and its folder stays hidden", async () => {
    const script = '#!/bin/sh\nls -A "$(dirname "$0")" "$1"\ncat "$1/secret" 2>/dev/null\ntrue\n';
    await using fixture = await createYamlFixture({
      "bin/set-limit": script,
      "bin/secret": "canary",
      "opt/real": script,
      "opt/secret": "canary",
      "a.yaml": `tools:
  own: { binary: ./bin/set-limit, args: ["{d}"], input: { d: { type: string } }, sandbox: {}, preview: { args: ["{d}"] } }
  linked: { binary: ./bin/link, args: ["{d}"], input: { d: { type: string } }, sandbox: {} }
`,
    });
    const [bin, opt] = [join(fixture.folder, "bin"), join(fixture.folder, "opt")];
    for (const path of [join(bin, "set-limit"), join(opt, "real")]) await chmod(path, 0o755);
    await symlink("../opt/real", join(bin, "link"));
    const own = await fixture.capability("own");
    const { changes } = await own.preview!(parseTestInput(own, { d: bin }), createTestContext());
    const seen = `${bin}:\nset-limit\n\n${bin}:\nset-limit\n`;
    expect(changes[0]!.details).toMatchObject({ output: seen });
    expect(await performTool(own, { d: bin })).toMatchObject({ text: seen });
    expect(await performTool(await fixture.capability("linked"), { d: opt })).toMatchObject({
      text: `${bin}:\nlink\n\n${opt}:\nreal\n`,
    });
  });

  it("[P8] a script whose interpreter is outside the sandbox is named, with what to do", async () => {
    await using fixture = await createYamlFixture({
      lost: "#!/opt/no/such/node\n",
      "a.yaml": "tools:\n  t: { binary: ./lost, args: [], sandbox: {} }\n",
    });
    await chmod(join(fixture.folder, "lost"), 0o755);
    const performed = performTool(await fixture.capability("t"), {});
    await expect(performed).rejects.toMatchObject({ kind: "not-performed", code: "not-started" });
    await expect(performed).rejects.toThrow(
      `The sandbox does not contain the program \`${join(fixture.folder, "lost")}\`, or the interpreter that its first line names. Check the path, and add the missing folder`,
    );
  });

  it("[P8] a preview command that fails, exceeds the output limit or times out is a fault", async () => {
    const { there } = await stage("echo no >&2; exit 4", "true");
    await using _ = there;
    const capability = await there.capability("t");
    expect(await readFault(capability.preview!({ p: "a" }, createTestContext()))).toBe("permanent exit-code");
    await using large = await createYamlFixture({
      "a.yaml":
        "tools:\n  t: { binary: /bin/echo, args: [], preview: { args: [too much] }, output_limit: 3 }\n",
    });
    const cut = (await large.capability("t")).preview!({}, createTestContext());
    expect(await readFault(cut)).toBe("permanent preview-too-large");
    const slow = await createYamlFixture({
      "a.yaml": "tools:\n  t: { binary: /bin/sleep, args: [], preview: { args: ['600'], timeout: 50ms } }\n",
    });
    await using __ = slow;
    const stopped = (await slow.capability("t")).preview!({}, createTestContext());
    expect(await readFault(stopped)).toBe("not-performed timed-out");
  });
});

it("[P10] folders that a killed process left behind are removed when they are old enough", async () => {
  await using fixture = await createYamlFixture(tool("args: []"));
  await mkdir(join(fixture.folder, "paraph-tool-old/inner"), { recursive: true });
  await mkdir(join(fixture.folder, "other-old"));
  await removeLeftovers(fixture.folder, Date.now() + 60_000);
  expect(existsSync(join(fixture.folder, "paraph-tool-old"))).toBe(true);
  await removeLeftovers(fixture.folder, Date.now() + 3_700_000);
  expect(existsSync(join(fixture.folder, "paraph-tool-old"))).toBe(false);
  expect(existsSync(join(fixture.folder, "other-old"))).toBe(true);
});
