import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

/** Loads each file as Paraph does, in one separate Node process, and returns the explanations. */
async function explain(cases: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "paraph-load-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(cases)) await writeFile(join(folder, name), text);
  const script = `
    const { importFresh } = await import(${JSON.stringify(new URL("import-fresh.ts", import.meta.url))});
    const { explainLoadError } = await import(${JSON.stringify(new URL("explain-load-error.ts", import.meta.url))});
    const found = [];
    for (const file of ${JSON.stringify(Object.keys(cases).map((name) => join(folder, name)))}) {
      const files = new Set();
      await importFresh(file, files).catch((error) => found.push(explainLoadError(error, files, ["files", "git"])));
    }
    console.log(JSON.stringify(found));`;
  const flags = ["--conditions=paraph-source", "--no-warnings", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return JSON.parse(stdout) as string[];
}

it("names the line and column of an error in a configuration, quotes the line, and suggests a remedy", async () => {
  const cases = {
    "comma.ts": 'export default {\n  adapters: {}\n  policy: "balanced",\n};\n',
    "variable.ts": "const setMessage = 1;\nexport default {\n  adapters: { a: setMesage },\n};\n",
    "export.ts": 'import {\n  fils,\n} from "paraph";\nexport default { a: fils };\n',
    "package.ts": '// A comment about zodd.\nimport { z } from "zodd/mini";\nexport default { z };\n',
    "file.ts": 'import "./nowhere.ts";\nexport default {};\n',
  };
  expect(await explain(cases)).toEqual([
    "comma.ts:3:3: Expected ',', got 'ident'.\n    policy: \"balanced\",",
    "variable.ts:3:18: setMesage is not defined. Did you mean `setMessage`?\n    adapters: { a: setMesage },",
    "export.ts:2:3: The requested module 'paraph' does not provide an export named 'fils'. Did you mean `files`?\n    fils,",
    "package.ts:2:20: Cannot find package 'zodd'. Run `npm install zodd`.\n    import { z } from \"zodd/mini\";",
    expect.stringMatching(
      /^file\.ts:1:11: Cannot find module '.*nowhere\.ts'\.\n {4}import "\.\/nowhere\.ts";$/,
    ),
  ]);
});

it("says why a module does not load if the place is unknown", async () => {
  expect(await explain({ "end.mjs": "export default {" })).toEqual([
    expect.stringMatching(/^`.*end\.mjs` does not load: Unexpected end of input$/),
  ]);
});
