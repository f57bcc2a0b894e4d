import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "@paraph/core";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ProcessCommand } from "../process/index.ts";
import { snapshotTree } from "./test-snapshot.ts";
import {
  createFixtureWithSide,
  createTestContext,
  type GitFixture,
  parseTestInput,
  performCapability,
  readWorktreeStatus,
} from "./testing.ts";

/**
 * The number of changing steps until the process dies. It performs no step after that. The test in conformance.test.ts
 * kills the whole process at any time, while this test covers every step.
 */
const life = vi.hoisted(() => ({ steps: Number.POSITIVE_INFINITY, half: false }));

vi.mock("node:fs/promises", async (importOriginal) => {
  const real = await importOriginal<Record<string, (...given: unknown[]) => unknown>>();
  const mortal = (name: string) => [
    name,
    async (...given: unknown[]) => {
      if (life.steps-- <= 0) throw new Error("the process died");
      return real[name]!(...given);
    },
  ];
  return { ...real, ...Object.fromEntries(["link", "rename"].map(mortal)) };
});

vi.mock("../process/index.ts", async (importOriginal) => {
  const real = await importOriginal<{ runProcess(command: ProcessCommand): Promise<unknown> }>();
  const changing = ["commit-tree", "update-ref", "restore", "mktag"];
  return {
    ...real,
    runProcess: async (command: ProcessCommand) => {
      if (!command.args.some((arg) => changing.includes(arg))) return real.runProcess(command);
      if (life.steps-- > 0) return real.runProcess(command);
      // A killed checkout has written some of the files and no index.
      if (life.half && command.args.includes("restore")) {
        const paths = String(command.stdin).split("\0").slice(0, 1);
        await real.runProcess({ ...command, stdin: `${paths.join("\0")}\0` });
      }
      throw new Error("the process died");
    },
  };
});

let fixture: GitFixture;
beforeAll(async () => {
  fixture = await createFixtureWithSide();
  fixture.git("branch", "other", "HEAD");
  await fixture.write("a.txt", "zero\none\ntwo\nthree\n");
  fixture.git("commit", "--quiet", "--all", "--message=Zero");
  await fixture.write("docs/b.txt", "worked on\n");
  await fixture.write("new.txt", "new\n");
  await cp(fixture.root, join(fixture.base, "start"), { recursive: true, preserveTimestamps: true });
});
afterAll(() => fixture[Symbol.asyncDispose]());

afterEach(() => {
  life.steps = Number.POSITIVE_INFINITY;
  life.half = false;
});

const cases: [string, string, Json][] = [
  ["commit", "commit", { message: "Work", paths: ["docs", "new.txt"] }],
  ["merge", "merge", { from: "side" }],
  ["merge into a branch that is not checked out", "merge", { from: "side", into: "other" }],
  ["branch_delete", "branch_delete", { name: "other" }],
  ["tag_create", "tag_create", { name: "v1", message: "One" }],
];

describe("[P7] a crash before any step", () => {
  it.each(cases)(
    "%s: the probe reports the true state, and the call ends in the same state as without a crash",
    async (_, verb, raw) => {
      const wanted = await whole(verb, raw);
      const answers: string[] = [];
      for (let steps = 0; ; steps++) {
        await scene();
        const capability = fixture.capability(verb);
        const input = parseTestInput(capability, raw);
        const { basis } = await capability.preview!(input, createTestContext());
        life.steps = steps;
        life.half = true;
        await capability.apply(input, createTestContext({ basis })).catch(() => {});
        const died = life.steps < 0;
        life.steps = Number.POSITIVE_INFINITY;
        if (!died) break;
        const found = await capability.probe!(input, createTestContext({ basis }));
        answers.push(found.kind);
        if (found.kind === "absent") await capability.apply(input, createTestContext({ basis, attempt: 2 }));
        if (found.kind === "present") expect(capability.parseOutput(found.output).kind).toBe("valid");
        expect(await picture(), `before step ${steps}`).toBe(wanted);
        expect((await capability.probe!(input, createTestContext({ basis }))).kind).toBe("present");
      }
      expect(answers[0]).toBe("absent");
      expect(answers).not.toContain("unsure");
      if (["commit", "merge"].includes(verb)) expect(answers.length).toBeGreaterThan(1);
    },
  );
});

/** Restores the repository, which the tests create only once. */
async function scene(): Promise<void> {
  await rm(fixture.root, { recursive: true });
  await cp(join(fixture.base, "start"), fixture.root, { recursive: true, preserveTimestamps: true });
}

/** Returns the state after a call without a crash. */
async function whole(verb: string, raw: Json): Promise<string> {
  await scene();
  await performCapability(fixture.capability(verb), raw);
  return picture();
}

/** Returns the state without ids, because they contain the time. */
async function picture(): Promise<string> {
  const files = (await snapshotTree(fixture.root, false)).split("\n");
  const left = files.filter((line) => /^\["\.git\/.*(?:\.lock"|paraph)/.test(line));
  return [
    fixture.git("for-each-ref", "--format=%(refname) %(objecttype) %(subject)"),
    ...fixture.git("log", "--all", "--format=%T %s %an").split("\n").sort(),
    readWorktreeStatus(fixture),
    ...left,
    ...files.filter((line) => !/^\["\.git["/]/.test(line)),
  ].join("\n");
}
