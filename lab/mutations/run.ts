import type { Violation } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { formatCounts } from "../report/coverage.ts";
import { mutations } from "./catalog/mutations.ts";
import type { Mutation } from "./mutation.ts";
import { runNamedTests, type TestEnding } from "./named-tests.ts";
import { WorkspaceCopy } from "./workspace-copy.ts";

/**
 * Applies each mutation and checks that the named test catches it. Passing tests prove little unless they fail when
 * they should.
 */
export async function runMutations(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const chosen = mutations.filter(({ name, quick }) =>
    options.at === undefined ? quick || !options.quick : name.includes(options.at),
  );
  if (chosen.length === 0) throw new Error(`No mutation has \`${options.at}\` in its name.`);
  const copies = await Promise.all(Array.from({ length: concurrency }, () => WorkspaceCopy.create()));
  try {
    await requireAllApply(copies[0]!, chosen);
    options.progress("without any bug");
    await requireAllPass(copies[0]!, chosen);
    const tried: TriedMutation[] = [];
    const left = chosen.entries();
    await Promise.all(
      copies.map(async (copy) => {
        for (const [index, bug] of left) {
          options.progress(`${index + 1}/${chosen.length} ${bug.name}`);
          tried[index] = await tryMutation(copy, bug);
        }
      }),
    );
    return toLabResult(options, tried, computeSeconds(startedAt));
  } finally {
    await Promise.all(copies.map((copy) => copy.remove()));
  }
}

/**
 * The number of mutations to try at the same time. Each needs its own copy of the workspace, and a run mostly waits for
 * its servers to start.
 */
const concurrency = 2;

interface TriedMutation {
  readonly mutation: Mutation;
  readonly ending: TestEnding;
  readonly seconds: number;
}

async function tryMutation(copy: WorkspaceCopy, bug: Mutation): Promise<TriedMutation> {
  const startedAt = Date.now();
  const takeOut = await copy.applyMutation(bug);
  const [ending] = await runNamedTests(copy.folder, [bug.caughtBy]);
  await takeOut();
  return { mutation: bug, ending: ending!, seconds: computeSeconds(startedAt) };
}

/** Checks that every mutation can be applied, so that an error appears before the tests run for minutes. */
async function requireAllApply(copy: WorkspaceCopy, chosen: readonly Mutation[]): Promise<void> {
  for (const bug of chosen) await (await copy.applyMutation(bug))();
}

/** Checks that the tests pass without mutations. A test that always fails catches nothing. */
async function requireAllPass(copy: WorkspaceCopy, chosen: readonly Mutation[]): Promise<void> {
  const endings = await runNamedTests(
    copy.folder,
    chosen.map(({ caughtBy }) => caughtBy),
  );
  const failing = chosen.flatMap(({ caughtBy: { file, title } }, index) => {
    const ending = endings[index]!;
    return ending.kind === "passed" ? [] : [`\`${file}\` \`${title}\`: ${describeEnding(ending)}`];
  });
  if (failing.length > 0) throw new Error(`Without any bug, these fail:\n${failing.join("\n")}`);
}

function toLabResult({ seed }: LabOptions, tried: readonly TriedMutation[], seconds: number): LabResult {
  const missed = tried.filter(({ ending }) => ending.kind !== "caught");
  return {
    run: "mutations",
    seed,
    figures: {
      mutations: tried.length,
      caught: tried.length - missed.length,
      seconds,
      ...Object.fromEntries(tried.map((each) => [each.mutation.name, formatRow(each)])),
    },
    violations: missed.map(toViolation),
    covers: [
      `${tried.length} mutations, one at a time in a copy of the workspace; each named test passed without it.`,
      ...formatCounts(
        "Mutated folders",
        tried.map(({ mutation }) => mutation.file.split("/").slice(0, 4).join("/")),
      ),
      ...formatCounts(
        "Threats and rules that the catching tests quote",
        tried.flatMap(({ mutation }) => mutation.caughtBy.title.match(/\b(?:TRUST \d+|P\d+)\b/g) ?? []),
      ),
    ],
    timelines: {},
  };
}

function formatRow({ mutation, ending, seconds }: TriedMutation): string {
  const { file, title } = mutation.caughtBy;
  const by = `${file.split("/").at(-1)} › ${title}`;
  return `${seconds.toFixed(1).padStart(5)} s  ${ending.kind === "caught" ? by : `NOT CAUGHT by ${by}`}`;
}

function toViolation({ mutation, ending }: TriedMutation): Violation {
  return {
    rule: "mutations",
    call: mutation.name,
    what: `was not caught by \`${mutation.caughtBy.title}\`: ${describeEnding(ending)}`,
  };
}

function describeEnding(ending: TestEnding): string {
  switch (ending.kind) {
    case "passed":
      return "it passed";
    case "caught":
      return ending.said;
    case "broken":
      return ending.why;
  }
}

function computeSeconds(startedAt: number): number {
  return Math.round((Date.now() - startedAt) / 100) / 10;
}
