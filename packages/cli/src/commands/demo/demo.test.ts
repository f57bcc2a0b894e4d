import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { captureOutput } from "../../testing/captured-output.ts";
import { runCli } from "../../testing/run-cli.ts";
import { runDemo } from "./demo.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-demo-test-"));
  // PostgreSQL does not run as root, so its own user must be able to enter the folder.
  await chmod(folder, 0o711);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("the demo uses its own servers, whatever the environment names, and leaves nothing behind", async () => {
  const environment = {
    TMPDIR: folder,
    DATABASE_URL: "postgres://paraph:secret@127.0.0.1:1/app",
    PARAPH_URL: "http://127.0.0.1:1",
    PARAPH_APPROVER_KEY: "pk_canary",
  };
  const { code, stdout, stderr } = await runCli(["demo", "--json"], { folder, environment });
  expect(stderr).not.toContain("paraph:");
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: "succeeded",
    verified: true,
    forgeryVerified: false,
    url: expect.stringContaining("http://127.0.0.1:"),
  });
  expect(code).toBe(0);
  expect(await readdir(folder)).toEqual([]);
});

it("the user decides: after a denial nothing is written, and the receipt says so", async () => {
  const { output, written } = captureOutput({ color: false });
  const interrupt = new AbortController();
  const pressCtrlC = (text: string) => {
    output.info(text);
    if (text.includes("Press Ctrl-C")) interrupt.abort();
  };
  const questions: string[] = [];
  const context = {
    output: { ...output, info: pressCtrlC },
    environment: process.env,
    folder,
    signal: interrupt.signal,
    takeTime: () => {},
    version: "0.0.0",
    json: false,
    url: undefined,
    secretQuestion: undefined,
    question: async (text: string) => {
      questions.push(text);
      return "n";
    },
  };
  expect(await runDemo(context, {})).toBe(0);
  expect(questions).toHaveLength(1);
  expect(written.stderr).toContain("+Espresso machine,24.90");
  expect(written.stderr).toContain("The file is unchanged");
  expect(written.stderr).toContain("/login/local?token=");
  expect(written.stderr).toMatch(/\nNext: (npx )?paraph init && (npx )?paraph dev\n/);
  // Another terminal cannot reach the server of the demo.
  expect(written.stderr).not.toContain("paraph approval ask_");
  expect(written.stdout).toMatch(/outcome +denied/);
});
