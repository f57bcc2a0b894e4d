import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GitHost, startGitHost } from "./test-host.ts";
import {
  createGitFixture,
  createTestContext,
  type GitFixture,
  parseTestInput,
  readFault,
  runUserGit,
} from "./testing.ts";

let fixture: GitFixture;
let remote: GitHost;
beforeAll(async () => {
  fixture = await createGitFixture();
  remote = await startGitHost(fixture.base);
  await fixture.open({ remotes: { origin: { url: remote.url } } });
});
afterAll(async () => {
  await remote[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

const preview = (verb: string, input: Parameters<typeof parseTestInput>[1]) =>
  fixture.capability(verb).preview!(parseTestInput(fixture.capability(verb), input), createTestContext());

describe("[TRUST 6] attributes do not hide the text that a commit changes", () => {
  const lines = ["* -diff", "* binary", "* -text -diff", "a.txt -diff", "[attr]x -diff\n* x"];
  const places = [".gitattributes", ".git/info/attributes"];
  it.each(places.flatMap((place) => lines.map((line) => [place, line])))("%s: %j", async (place, line) => {
    const path = join(fixture.root, place);
    await writeFile(path, `${line}\n`);
    await fixture.write("a.txt", "changed\n");
    const { changes } = await preview("commit", { message: "Change", paths: ["a.txt"] });
    expect(changes[0]!.diff).toContain("+changed");
    expect(changes[1]).toMatchObject({ target: "a.txt", summary: "Changed: +1 −3" });
    await rm(path);
    fixture.git("checkout", "--quiet", "--", "a.txt");
  });
});

describe("[TRUST 6] a repository inside another one", () => {
  const commit = "1".repeat(40);
  const hiding = '[submodule "vendor"]\n\tpath = vendor\n\turl = ./vendor\n\tignore = all\n';

  it.each(["", hiding])("is shown if a pushed commit points to it (`.gitmodules`: %j)", async (modules) => {
    const branch = modules === "" ? "plain" : "hiding";
    fixture.git("checkout", "--quiet", "-b", branch, "main");
    await fixture.write(".gitmodules", modules);
    fixture.git("add", ".gitmodules");
    fixture.git("update-index", "--add", "--cacheinfo", `160000,${commit},vendor`);
    fixture.git("commit", "--quiet", "--message=Vendor");
    const { changes } = await preview("push", { branch });
    expect(changes[0]!.diff).toContain(`+Subproject commit ${commit}`);
    expect(changes).toContainEqual(expect.objectContaining({ kind: "create", target: "vendor" }));
    fixture.git("checkout", "--quiet", "--force", "main");
  });

  it("is not committed, even if `.gitmodules` hides it", async () => {
    await fixture.write(".gitmodules", hiding);
    await fixture.write("vendor/x.txt", "x\n");
    runUserGit(join(fixture.root, "vendor"), "init", "--quiet");
    runUserGit(join(fixture.root, "vendor"), "add", ".");
    runUserGit(join(fixture.root, "vendor"), "commit", "--quiet", "--message=Inner");
    const input = { message: "Vendor", paths: ["vendor", ".gitmodules"] };
    expect(await readFault(preview("commit", input))).toBe("permanent submodule-refused");
  });
});

describe("[TRUST 12] Paraph's own folder is neither shown nor committed", () => {
  it.each([".paraph/state.json", ".paraph", "project/.paraph", ".", "project", ".PARAPH/x"])(
    "%s",
    async (path) => {
      await fixture.write(".gitignore", "!.paraph\n");
      for (const folder of [".paraph", "project/.paraph"])
        await fixture.write(`${folder}/state.json`, "the owner's key");
      const fault = await readFault(preview("commit", { message: "Keys", paths: [path] }));
      expect(fault).toMatch(/^permanent (own-folder|path-invalid)$/);
    },
  );
});
