import type { Violation } from "../history/checker.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { statement } from "../report/coverage.ts";
import type { Bug } from "./bug.ts";
import { bugs } from "./bugs.ts";
import { type Ending, runNamed } from "./named-tests.ts";
import { WorkspaceCopy } from "./workspace-copy.ts";

/** Tests that pass prove little unless they fail when they should: each bug is planted, each must be caught by name. */
export async function planted(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const chosen = bugs.filter(({ quick }) => quick || !options.quick);
  const copies = await Promise.all(Array.from({ length: atOnce }, () => WorkspaceCopy.make()));
  try {
    await allFit(copies[0]!, chosen);
    options.progress("without any bug");
    await allPass(copies[0]!, chosen);
    const tried: Tried[] = [];
    const left = chosen.entries();
    await Promise.all(
      copies.map(async (copy) => {
        for (const [index, bug] of left) {
          options.progress(`${index + 1}/${chosen.length} ${bug.name}`);
          tried[index] = await attempt(copy, bug);
        }
      }),
    );
    return result(options, tried, secondsSince(startedAt));
  } finally {
    await Promise.all(copies.map((copy) => copy.remove()));
  }
}

/** Each bug needs a copy of its own; a run mostly waits for its servers to start. */
const atOnce = 2;

interface Tried {
  readonly bug: Bug;
  readonly ending: Ending;
  readonly seconds: number;
}

async function attempt(copy: WorkspaceCopy, bug: Bug): Promise<Tried> {
  const startedAt = Date.now();
  const takeOut = await copy.plant(bug);
  const [ending] = await runNamed(copy.folder, [bug.caughtBy]);
  await takeOut();
  return { bug, ending: ending!, seconds: secondsSince(startedAt) };
}

/** Told at once, not after minutes of running the others. */
async function allFit(copy: WorkspaceCopy, chosen: readonly Bug[]): Promise<void> {
  for (const bug of chosen) await (await copy.plant(bug))();
}

/** A test that fails anyway catches nothing. */
async function allPass(copy: WorkspaceCopy, chosen: readonly Bug[]): Promise<void> {
  const endings = await runNamed(
    copy.folder,
    chosen.map(({ caughtBy }) => caughtBy),
  );
  const failing = chosen.flatMap(({ caughtBy: { file, title } }, index) => {
    const ending = endings[index]!;
    return ending.kind === "passed" ? [] : [`\`${file}\` \`${title}\`: ${told(ending)}`];
  });
  if (failing.length > 0) throw new Error(`Without any bug, these fail:\n${failing.join("\n")}`);
}

function result({ seed }: LabOptions, tried: readonly Tried[], seconds: number): LabResult {
  const missed = tried.filter(({ ending }) => ending.kind !== "caught");
  return {
    run: "planted",
    seed,
    figures: {
      planted: tried.length,
      caught: tried.length - missed.length,
      seconds,
      ...Object.fromEntries(tried.map((each) => [each.bug.name, row(each)])),
    },
    violations: missed.map(violation),
    covers: [
      `${tried.length} mutations, one at a time in a copy of the workspace; each named test passed without it.`,
      ...statement(
        "Mutated folders",
        tried.map(({ bug }) => bug.file.split("/").slice(0, 4).join("/")),
      ),
      ...statement(
        "Threats and rules that the catching tests quote",
        tried.flatMap(({ bug }) => bug.caughtBy.title.match(/\b(?:TRUST \d+|P\d+)\b/g) ?? []),
      ),
    ],
    timelines: {},
  };
}

function row({ bug, ending, seconds }: Tried): string {
  const { file, title } = bug.caughtBy;
  const by = `${file.split("/").at(-1)} › ${title}`;
  return `${seconds.toFixed(1).padStart(5)} s  ${ending.kind === "caught" ? by : `NOT CAUGHT by ${by}`}`;
}

function violation({ bug, ending }: Tried): Violation {
  return {
    rule: "planted",
    call: bug.name,
    what: `was not caught by \`${bug.caughtBy.title}\`: ${told(ending)}`,
  };
}

function told(ending: Ending): string {
  switch (ending.kind) {
    case "passed":
      return "it passed";
    case "caught":
      return ending.said;
    case "broken":
      return ending.why;
  }
}

function secondsSince(startedAt: number): number {
  return Math.round((Date.now() - startedAt) / 100) / 10;
}
