import { afterAll, beforeAll, expect, it } from "vitest";
import { TestServer } from "../../../../server/src/http/testing/server.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import { showCapabilities } from "./capabilities.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

async function list(name?: string) {
  const { output, written } = captureOutput();
  const code = await showCapabilities(
    {
      output,
      environment: { PARAPH_KEY: "key-bot" },
      folder: "/",
      signal: new AbortController().signal,
      takeTime: () => {},
      version: "0",
      json: false,
      url: server.http.url,
      question: undefined,
      secretQuestion: undefined,
    },
    name,
  );
  const names = written.stdout.split("\n").flatMap((line) => /^[a-z]\S+\.\S+/.exec(line)?.[0] ?? []);
  return { code, names, said: written.stderr };
}

it('`paraph capabilities "notes.*"` lists what the pattern of rules matches, and not "no such capability"', async () => {
  const all = (await list()).names;
  const notes = all.filter((name) => name.startsWith("notes."));
  expect(notes.length).toBeGreaterThan(0);
  expect(notes.length).toBeLessThan(all.length);
  expect((await list("notes.*")).names).toEqual(notes);
  expect((await list("*.list")).names).toContain("notes.list");
  expect((await list("notes.list")).names).toEqual(["notes.list"]);
});

it("says that nothing matches, and that a changed configuration needs a restart", async () => {
  expect(await list("ops.*")).toEqual({
    code: 0,
    names: [],
    said: "No capability matches `ops.*`. Run `paraph capabilities` to list all. If you changed the configuration, restart the server.\n",
  });
  await expect(list("ops.clean")).rejects.toThrow(
    "There is no such capability. Run `paraph capabilities` to list capabilities. If you changed the configuration, restart the server.",
  );
});
