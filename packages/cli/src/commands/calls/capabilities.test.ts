import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { TestServer } from "../../../../server/src/http/testing/server.ts";
import { captureOutput } from "../../testing/captured-output.ts";
import { startTestServer } from "../../testing/test-server.ts";
import { showCapabilities, sortBuiltinLast } from "./capabilities.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

async function list(name?: string, url = server.http.url) {
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
      url,
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

const advice =
  "Run `paraph capabilities` to list capabilities. If you changed the configuration, press Enter in the terminal of `paraph dev`, or restart the server.";

it("says that nothing matches, names the nearest capability, and how to load a changed configuration", async () => {
  expect(await list("ops.*")).toEqual({
    code: 0,
    names: [],
    said: `No capability matches \`ops.*\`. ${advice}\n`,
  });
  await expect(list("ops.clean")).rejects.toThrow(`No capability is called \`ops.clean\`. ${advice}`);
  await expect(list("notes.lsit")).rejects.toThrow(
    `No capability is called \`notes.lsit\`. Did you mean \`notes.list\`? ${advice}`,
  );
});

it("[P10] does not suggest a capability that the caller may not see", async () => {
  server.service.narrow("key-bot", ["calls:billing.refund"]);
  await expect(list("notes.lsit")).rejects.toThrow(`No capability is called \`notes.lsit\`. ${advice}`);
});

it("says that the adapter of an unknown capability is unavailable, and why", async () => {
  const files = { name: "files", kind: "files", capabilities: 0, digest: "", code: "root-missing" };
  const message = "The folder `./workspace` does not exist. Create it.";
  const listAdapters = async () => [{ ...files, state: "unavailable", message }];
  Object.assign(server.service, { listAdapters });
  await expect(list("files.read")).rejects.toThrow(
    `\`files.read\` cannot be called, because the adapter \`files\` is unavailable. ${message}`,
  );
});

it("lists the capabilities of Paraph itself last", () => {
  const names = ["admin.freeze", "check.size", "files.read", "human.ask", "plan.apply", "planner.run"];
  expect(sortBuiltinLast(names.map((name) => ({ name }))).map(({ name }) => name)).toEqual([
    ...["files.read", "planner.run"],
    ...["admin.freeze", "check.size", "human.ask", "plan.apply"],
  ]);
});

it("says that the adapter of the pattern is still starting, and not how to change the configuration", async () => {
  const starting = {
    name: "notes",
    kind: "mcp",
    state: "unavailable",
    code: "adapter-starting",
    message: "Wait.",
  };
  const fresh = await startTestServer((request, response) =>
    response.end(
      JSON.stringify(
        request.url?.startsWith("/v1/adapters")
          ? { adapters: [starting] }
          : { capabilities: [{ name: "human.ask", effect: "read", risk: "low", summary: "Ask a person" }] },
      ),
    ),
  );
  onTestFinished(fresh.remove);
  expect((await list("notes.*", fresh.url)).said).toBe(
    "No capability matches `notes.*` yet, because the adapter `notes` is starting. Wait.\n",
  );
});
