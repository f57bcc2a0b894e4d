import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startScriptedModel } from "../ai-sdk/scripted-model.ts";
import { createModelPlanner } from "./model-planner.ts";
import { chooseByOutcomes } from "./planner.ts";

const script = fileURLToPath(new URL("./main.ts", import.meta.url));

it("the agent replans after a denial, after instructions and after a failure, learns, and resumes after a restart", async () => {
  const { BDI_MODEL_URL: _live, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=paraph-source", script], {
    env,
  });
  expect(stdout.trim().split("\n")).toEqual([
    "believes inbox/a.md inbox/b.md inbox/c.md inbox/d.md inbox/e.md inbox/f.md",
    "intends  publish inbox/a.md",
    "outcome  publish inbox/a.md: succeeded (done)",
    "intends  publish inbox/b.md",
    "outcome  publish inbox/b.md: denied (denied)",
    "intends  review inbox/b.md",
    "outcome  review inbox/b.md: succeeded (done)",
    "intends  publish inbox/c.md",
    "outcome  publish inbox/c.md: denied (returned)",
    "intends  instructed inbox/c.md",
    "outcome  instructed inbox/c.md: succeeded (done)",
    "intends  publish inbox/d.md",
    "outcome  publish inbox/d.md: failed (step-failed)",
    "intends  review inbox/d.md",
    "outcome  review inbox/d.md: succeeded (done)",
    // The outcome memory says that publishing failed, so the agent does not try it again.
    "intends  review inbox/e.md",
    "outcome  review inbox/e.md: succeeded (done)",
    "intends  review inbox/f.md",
    "restarts",
    "resumes  review inbox/f.md",
    "outcome  review inbox/f.md: succeeded (done)",
    "intends  commit commit",
    "outcome  commit commit: succeeded (done)",
    'belief   inbox/a.md {"way":"publish","ruledOut":[]}',
    'belief   inbox/b.md {"way":"review","ruledOut":["publish"]}',
    'belief   inbox/c.md {"way":"instructed","ruledOut":["publish"],"folder":"archive"}',
    'belief   inbox/d.md {"way":"review","ruledOut":["publish"]}',
    'belief   inbox/e.md {"way":"review","ruledOut":[]}',
    'belief   inbox/f.md {"way":"review","ruledOut":[]}',
    'belief   {"uncommitted":0,"commits":1}',
    "desk     inbox: ",
    "desk     published: a.md",
    "desk     review: b.md d.md e.md f.md",
    "desk     archive: c.md",
    "git      Handle the inbox",
    "snapshot ref.moved refs/heads/main",
    // Each intention is one plan. The restart requested none again.
    "plans    10",
  ]);
});

it("a model chooses only between open ways, and the scripted planner takes over if it names another", async () => {
  const answers = ["review", "publish", "nonsense"];
  const model = await startScriptedModel(() => ({ text: JSON.stringify({ way: answers.shift() }) }));
  try {
    const plan = createModelPlanner({ url: model.url, name: "scripted" }, chooseByOutcomes);
    const choice = { goal: "inbox/a.md", ways: ["publish", "review"] as const, outcomes: [] };
    expect(await plan(choice)).toBe("review");
    expect(await plan({ ...choice, ways: ["review"] })).toBe("review");
    expect(await plan(choice)).toBe("publish");
  } finally {
    await model.stop();
  }
});
